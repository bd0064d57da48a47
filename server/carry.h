/* Scenes that carry their files within themselves, so that one file is all there is to take along; and which files
 * belong to one that a scene names. */
#ifndef LIMBER_SERVER_CARRY_H
#define LIMBER_SERVER_CARRY_H

#include "server/document.h"
#include "server/names.h"

enum { lb_mostCarriedFiles = 64, lb_mostCarriedBytes = 44 << 20 /* before base64, which makes them a third longer */ };

/* Names of files in one folder, each once. */
typedef struct lbFileNames {
    int count;
    char names[lb_mostCarriedFiles][lb_fileNameLimit + 1];
} lbFileNames;

/* The files that a document names in its folder, with those that belong to them: materials and textures of an OBJ, what
 * a glTF names, the other half of .node and .ele. What is missing or no plain name is left out. */
void lb_list_files(const lbHost* host, const lbValue* document, const char* folder, lbFileNames* names);

/* The document, as text, with the files of its folder within. Fails where they are more than a scene can carry. */
lbResult lb_write_whole_scene(const lbHost* host, const char* document, size_t size, const char* folder, lbText* text);

/* Writes what base64 text stands for. */
lbResult lb_write_base64_file(const lbHost* host, const char* path, const char* base64);

#endif
