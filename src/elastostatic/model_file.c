/* Precomputed responses as files: the image as it is, mapped when it is read. */
#include "base/file.h"
#include "base/result.h"
#include "elastostatic/elastostatic.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

lbResult lbElastostatic_Save(const lbElastostatic* made, const char* path) {
    lbFile file = {0};
    LB_TRY(lb_open_file(made->host, path, &file));
    lb_write(&file, made->image, made->size);
    lbResult result = lb_commit_file(&file);
    lb_discard_file(&file);
    return result;
}

static lbResult map_file(const char* path, unsigned char** image, size_t* size) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return lb_error(lb_errorFile, "%s: %s", path, strerror(errno));
    }
    struct stat status;
    lbResult result = lb_success();
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        result = lb_error(lb_errorFile, "%s: is no regular file", path);
    } else if (status.st_size < (off_t)sizeof(lbImageHeader)) {
        result = lb_error(lb_errorFormat,
                          "%s: has %lld bytes; a precomputed model has at least %zu: truncated, or no "
                          "such file",
                          path, (long long)status.st_size, sizeof(lbImageHeader));
    } else {
        *size = (size_t)status.st_size;
        void* mapped = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        *image = mapped == MAP_FAILED ? NULL : mapped;
        result = *image != NULL ? lb_success() : lb_error(lb_errorFile, "%s: %s", path, strerror(errno));
    }
    close(descriptor);
    return result;
}

lbResult lbOpenElastostatic(const char* path, const lbHost* host, lbElastostatic** made) {
    *made = NULL;
    LB_TRY(lb_check_host(host));
    unsigned char* image = NULL;
    size_t size = 0;
    LB_TRY(map_file(path, &image, &size));
    lbResult result = lb_adopt_image(lb_resolve_host(host), image, size, true, true, made);
    if (result.code != lb_ok) {
        munmap(image, size);
    }
    return lb_in_context(result, "%s", path);
}
