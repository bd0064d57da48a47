#include "server/upload.h"

#include "base/result.h"
#include "server/names.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const int64_t mostBytes = INT64_C(1) << 30; /* of a run */
enum { mostOpen = 8 };

lbResult lb_begin_upload(lbUploads* uploads, const char* name, int64_t size, lbUpload* upload) {
    *upload = (lbUpload){0};
    if (!lb_is_plain_file_name(name)) {
        return lb_error(lb_errorArgument, "name: is \"%.100s\"; expected a plain file name", name);
    }
    if (size <= 0 || size > lb_uploadLimit) {
        return lb_error(lb_errorArgument, "%s: has %lld bytes; expected 1 to %d", name, (long long)size,
                        lb_uploadLimit);
    }
    if (uploads->fileCount >= lb_mostUploads || uploads->bytes + size > mostBytes || uploads->openCount >= mostOpen) {
        return lb_error(lb_errorArgument, "%s: too many files were uploaded", name);
    }

    snprintf(upload->path, sizeof(upload->path), "%s/%s", uploads->folder, name);
    snprintf(upload->part, sizeof(upload->part), "%s/.part-%d", uploads->folder, uploads->number++);
    upload->file = fopen(upload->part, "wb");
    if (upload->file == NULL) {
        return lb_error(lb_errorFile, "%s: cannot be stored: %s", name, strerror(errno));
    }
    upload->owner = uploads;
    upload->expected = size;
    uploads->openCount += 1;
    uploads->bytes += size;
    return lb_success();
}

lbResult lb_continue_upload(lbUpload* upload, const void* bytes, size_t size) {
    upload->received += (int64_t)size;
    if (upload->received > upload->expected) {
        return lb_error(lb_errorFormat, "more came than was announced");
    }
    return fwrite(bytes, 1, size, upload->file) == size ? lb_success() : lb_error(lb_errorFile, "cannot be stored");
}

static void close_upload(lbUpload* upload) {
    upload->owner->openCount -= 1;
    *upload = (lbUpload){0};
}

lbResult lb_finish_upload(lbUpload* upload) {
    if (upload->received != upload->expected) {
        lbResult result = lb_error(lb_errorFormat, "%lld bytes came of %lld", (long long)upload->received,
                                   (long long)upload->expected);
        lb_discard_upload(upload);
        return result;
    }
    bool stored = fclose(upload->file) == 0 && rename(upload->part, upload->path) == 0;
    upload->file = NULL;
    if (!stored) {
        lb_discard_upload(upload);
        return lb_error(lb_errorFile, "cannot be stored");
    }
    upload->owner->fileCount += 1;
    close_upload(upload);
    return lb_success();
}

void lb_discard_upload(lbUpload* upload) {
    if (upload->owner == NULL) {
        return;
    }
    if (upload->file != NULL) {
        fclose(upload->file);
    }
    unlink(upload->part);
    upload->owner->bytes -= upload->expected;
    close_upload(upload);
}
