/* A session as its own files know it. All but what is behind the mutex belongs to the thread that simulates. */
#ifndef LIMBER_SERVER_SESSION_INNER_H
#define LIMBER_SERVER_SESSION_INNER_H

#include "server/history.h"
#include "server/pace.h"
#include "server/recording.h"
#include "server/session.h"
#include "server/undo.h"

#include <pthread.h>

struct lbSession {
    const lbHost* host;
    void (*wake)(void* user);
    void* user;
    const char* recordingFolder;
    pthread_t thread;
    bool threadRuns;
    _Atomic uint64_t sequence;

    /* Of the thread that simulates. */
    lbHost worldHost; /* the stage's: its log is session_tell.c */
    bool stepping;    /* a frame is being simulated */
    double patience;  /* s: frames that take longer are given up, and the world is rescued */
    bool patient;     /* the last frame was put off for those who wait: they wait for this one */
    bool warned;      /* of something that happened in this world while it ran: told once */
    bool quiet;       /* what is built is limber's own, or was built before: nobody wants to hear how well that went */
    lbStage stage;
    lbTouch touch;
    lbTake* take;      /* what is recorded now; NULL: nothing */
    lbTake* finishing; /* what was recorded and is being written; NULL: nothing */
    lbPace pace;
    int clientCount;
    bool paused, building;
    bool looping;           /* scripted scenes begin again when they end */
    int64_t stepsDone;      /* frames simulated in whatever scene */
    int64_t rescued;        /* when the world came apart last, by that count */
    int rescues;            /* how often shortly after one another */
    uint32_t watchedBuild;  /* whose bodies were watched last (session_watch.c) */
    uint64_t watchedBodies; /* bits: of these it was told already */
    int64_t watched;        /* when, by stepsDone */
    lbHistory history;
    lbMoment* beforeChange; /* the world when something was changed last by building; NULL: nothing was */
    lbUndo undo;
    lbValue* loaded; /* the scene as it came, with what was added: where settings go back to */
    int stepsWanted;
    double published; /* s, when the frame that was published last was due */
    bool refresh;     /* publish a frame even if time stands still */
    uint32_t frameCount;
    uint64_t controlsHash; /* of what was told last of them */
    int written;           /* the snapshot to write next */
    lbSnapshot slow[2];    /* in slow motion: the last two frames; what is shown is between them */
    int slowCount;         /* how many of them hold something */
    int newer;             /* of the two */
    double stepped;        /* s, when the newer one was simulated */

    /* Behind the mutex. */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool stopping;
    bool roomAwaited;
    lbQueue queue;
    lbLetter *firstLetter, *lastLetter;
    lbBuild* build;
    lbBlob *scene, *state, *objects, *controls, *recording, *document;
    char documentFolder[PATH_MAX]; /* where the document's files are */
    lbWishes wishes;
    lbSnapshot snapshots[3];
    int waiting, read; /* the newest complete snapshot, the one that the other thread reads */
    bool isFresh;      /* the waiting one was not taken yet */
};

/* session_tell.c: messages to clients. Each takes its text over. */
void lb_tell(lbSession* session, int client, lbText* text); /* 0: all clients */
LB_PRINTF(3, 4) void lb_tell_notice(lbSession* session, const char* level, const char* format, ...);
/* The same with what can be done about it: a list of {"label", "messages"}. Takes the text over; NULL: nothing. */
LB_PRINTF(4, 5)
void lb_tell_notice_with(lbSession* session, const char* level, lbText* actions, const char* format, ...);
void lb_tell_answer(lbSession* session, int client, const lbMessage* message, lbResult result);
/* Of these only the newest counts. */
void lb_tell_state(lbSession* session);
void lb_tell_objects(lbSession* session); /* and keeps the document */
void lb_tell_recording(lbSession* session, int frames, double seconds, bool writing, bool ready);
void lb_tell_build(lbSession* session);
/* After a live change: clients that come from now on are told of the scene as it is, the others were told the value. */
void lb_describe_again(lbSession* session);
/* An lbHost's log: warnings become notices. */
void lb_tell_log(void* session, lbLogLevel level, const char* message);
/* Renders the scene as it would be saved. */
void lb_keep_document(lbSession* session);

/* Puts a message in the place of the one of its kind before; only the newest counts. */
void lb_post_newest(lbSession* session, lbBlob** place, lbText* text);

/* session_controls.c: of precomputed bodies. */
void lb_tell_controls(lbSession* session); /* if they have moved, or what holds them has changed */

/* session_record.c */
lbResult lb_switch_recording(lbSession* session, bool on);
void lb_stop_recording(lbSession* session);
/* The same where nobody asked for it: people are told why. */
void lb_cut_recording(lbSession* session, const char* why);
void lb_keep_recording(lbSession* session);
/* Whether a recording that ended is there by now: tells of it. */
void lb_check_finishing(lbSession* session);

/* session_rescue.c: a world that came apart goes back to where it was sound. */
void lb_rescue(lbSession* session, const lbResult* result);

/* session_watch.c: tells of bodies that grow or collapse without coming apart, as a new frame shows them. */
void lb_watch_bodies(lbSession* session, const lbSnapshot* snapshot);

/* session_edit.c: changes of the scene that can be taken back. */
lbResult lb_edit_set(lbSession* session, const lbMessage* message);
lbResult lb_edit_load(lbSession* session, lbMessage* message);
lbResult lb_edit_bodies(lbSession* session,
                        const lbMessage* message); /* add, place, duplicate, remove, rename, matter */
lbResult lb_edit_pin(lbSession* session, const lbMessage* message);
lbResult lb_edit_unpin(lbSession* session, int pin);
lbResult lb_edit_control(lbSession* session, const lbMessage* message);
lbResult lb_edit_reset(lbSession* session, bool settings); /* and all settings as they came */
/* Settings of a body (-1: all) are as they came, and the scene begins anew; *changed: they were others before. */
lbResult lb_edit_return_settings(lbSession* session, int body, bool* changed);
lbResult lb_edit_undo(lbSession* session, bool redo);
/* Takes the newest change back, for good. */
lbResult lb_take_back(lbSession* session, lbPast* past, bool keepStates);
/* The world is another one, or is not after all. */
void lb_world_changed(lbSession* session, bool changed, bool sameScene);
void lb_begin_building(lbSession* session);

/* session_hear.c: does what clients have asked for. */
void lb_hear(lbSession* session);

/* session_frames.c: simulates and shows. */
bool lb_is_slow(const lbSession* session);
void lb_step_once(lbSession* session);
/* The frames that are due, and what is shown between them. */
void lb_run_frames(lbSession* session, double now);
void lb_publish(lbSession* session);
static const double lb_framesOfSlowMotion = 60; /* shown in a real second */

#endif
