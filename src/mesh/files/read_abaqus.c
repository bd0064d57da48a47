/* Abaqus input (and what CalculiX, Gmsh and others write in its manner): *NODE, *ELEMENT of solid types, *ELSET and
 * *SOLID SECTION; one part. Keywords that would change the mesh but are not understood are refused, the rest is passed
 * over. */
#include "base/result.h"
#include "mesh/files/element_sets.h"
#include "mesh/files/fields.h"
#include "mesh/files/values.h"

#include <string.h>

enum { mostNodes = 27 };

typedef enum Block { blockNone, blockNodes, blockElements, blockSet, blockInstance } Block;

typedef struct ElementType {
    lbCellKind kind;
    int nodeCount;
} ElementType;

typedef struct Reader {
    lbTetFile* file;
    const char* path;
    lbTextScan scan;
    lbElementSets sets;
    Block block;      /* whose data lines come now */
    ElementType type; /* of a block of elements */
    int set;          /* of a block of elements or of a set; -1: none */
    bool generate;    /* a set of ranges */
    bool continues;   /* the data line before ended with a comma */
    int partCount, instanceCount;
    bool inAssembly; /* outside of its instances: its nodes are reference points */
} Reader;

static lbResult out_of_memory(const Reader* reader) {
    return lb_error(lb_errorMemory, "%s: out of memory", reader->path);
}

static lbResult refuse(const Reader* reader, const char* keyword, const char* why) {
    return lb_error(lb_errorUnsupported, "%s:%d: %s: %s", reader->path, reader->scan.line, keyword, why);
}

/* ---- Keyword lines ----------------------------------------------------------------------------------------------- */

/* The letters of a word without its blanks, as capitals. */
typedef struct Name {
    char text[40];
} Name;

static Name capitals(lbWord word) {
    Name name = {{0}};
    size_t used = 0;
    for (size_t i = 0; i < word.length && used + 1 < sizeof(name.text); ++i) {
        char c = word.text[i];
        if (c != ' ' && c != '\t') {
            name.text[used++] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
        }
    }
    return name;
}

typedef struct Parameters {
    lbWord type, set, input, system;
    bool generate;
} Parameters;

static lbWord without_quotes(lbWord word) {
    if (word.length >= 2 && word.text[0] == '"' && word.text[word.length - 1] == '"') {
        return (lbWord){word.text + 1, word.length - 2};
    }
    return word;
}

/* NAME or NAME=VALUE */
static void note_parameter(lbWord field, Parameters* parameters) {
    const char* equals = field.length > 0 ? memchr(field.text, '=', field.length) : NULL;
    size_t length = equals != NULL ? (size_t)(equals - field.text) : field.length;
    Name name = capitals((lbWord){field.text, length});
    lbWord value = {"", 0};
    if (equals != NULL) {
        lbTextScan scan = {equals + 1, field.text + field.length, 1};
        value = without_quotes(lb_scan_rest(&scan));
    }
    if (strcmp(name.text, "TYPE") == 0) {
        parameters->type = value;
    } else if (strcmp(name.text, "ELSET") == 0) {
        parameters->set = value;
    } else if (strcmp(name.text, "INPUT") == 0) {
        parameters->input = value;
    } else if (strcmp(name.text, "SYSTEM") == 0) {
        parameters->system = value;
    } else if (strcmp(name.text, "GENERATE") == 0) {
        parameters->generate = true;
    }
}

/* The parameters of a keyword; a line that ends with a comma goes on in the next. */
static Parameters read_parameters(Reader* reader) {
    Parameters parameters = {0};
    lbWord field;
    for (;;) {
        bool comma = reader->scan.at[-1] == ',';
        while (lb_next_field(&reader->scan, &field)) {
            note_parameter(field, &parameters);
            comma = reader->scan.at[-1] == ',';
        }
        lbTextScan ahead = reader->scan;
        lb_skip_line(&ahead);
        if (!comma || ahead.at >= ahead.end || *ahead.at == '*') {
            return parameters;
        }
        reader->scan = ahead;
    }
}

/* ---- Element types ----------------------------------------------------------------------------------------------- */

/* C3D4, C3D10M, DC3D8 and the like: how many nodes stands behind "C3D". */
static ElementType solid_type(const char* name) {
    static const ElementType types[] = {{lb_cellTet, 4},        {lb_cellTet, 10},        {lb_cellPyramid, 5},
                                        {lb_cellPyramid, 13},   {lb_cellPrism, 6},       {lb_cellPrism, 15},
                                        {lb_cellHexahedron, 8}, {lb_cellHexahedron, 20}, {lb_cellHexahedron, 27}};
    const char* at = strstr(name, "C3D");
    int64_t count = 0;
    if (at == NULL || !lb_field_integer((lbWord){at + 3, strspn(at + 3, "0123456789")}, &count)) {
        return (ElementType){lb_cellUnknown, 0};
    }
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
        if (types[i].nodeCount == count) {
            ElementType type = types[i];
            type.nodeCount += strstr(at, "C3D15V") == at ? 3 : 0;
            return type;
        }
    }
    return (ElementType){lb_cellUnknown, 0};
}

/* What is passed over, by the beginning of its name. */
static lbCellKind other_kind(const char* name) {
    static const struct {
        const char* begins;
        lbCellKind kind;
    } kinds[] = {{"SPRING", lb_cellLine},  {"SC", lb_cellUnknown},   {"S", lb_cellSurface},    {"M3D", lb_cellSurface},
                 {"CP", lb_cellSurface},   {"CAX", lb_cellSurface},  {"R3D", lb_cellSurface},  {"DS", lb_cellSurface},
                 {"DC2D", lb_cellSurface}, {"AC2D", lb_cellSurface}, {"B", lb_cellLine},       {"T", lb_cellLine},
                 {"PIPE", lb_cellLine},    {"CONN", lb_cellLine},    {"GAP", lb_cellLine},     {"DASHPOT", lb_cellLine},
                 {"R2D", lb_cellLine},     {"MASS", lb_cellPoint},   {"ROTARYI", lb_cellPoint}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
        if (strncmp(name, kinds[i].begins, strlen(kinds[i].begins)) == 0) {
            return kinds[i].kind;
        }
    }
    return lb_cellUnknown;
}

/* ---- Keywords ---------------------------------------------------------------------------------------------------- */

static lbResult begin_nodes(Reader* reader, const Parameters* parameters) {
    if (reader->inAssembly) {
        return lb_success();
    }
    if (parameters->input.length > 0) {
        return refuse(reader, "*NODE", "INPUT names another file, which is not opened");
    }
    if (parameters->system.length > 0 && !lb_word_is_any_case(parameters->system, "R")) {
        return refuse(reader, "*NODE", "expected SYSTEM=R: coordinates that are no x, y, z are not read");
    }
    reader->block = blockNodes;
    return lb_success();
}

static lbResult begin_elements(Reader* reader, const Parameters* parameters) {
    if (reader->inAssembly) {
        return lb_success();
    }
    if (parameters->input.length > 0) {
        return refuse(reader, "*ELEMENT", "INPUT names another file, which is not opened");
    }
    Name name = capitals(parameters->type);
    reader->type = solid_type(name.text);
    if (reader->type.kind == lb_cellUnknown) {
        reader->type = (ElementType){other_kind(name.text), 0};
    }
    if (reader->type.kind == lb_cellUnknown) {
        return lb_field_error(reader->path, reader->scan.line, parameters->type,
                              "TYPE of *ELEMENT to be C3D4 or another solid that can be cut into tetrahedra");
    }
    reader->set = -1;
    if (parameters->set.length > 0) {
        reader->set = lb_find_or_make_set(&reader->sets, parameters->set);
        if (reader->set < 0) {
            return out_of_memory(reader);
        }
    }
    reader->block = blockElements;
    return lb_success();
}

static lbResult begin_set(Reader* reader, const Parameters* parameters) {
    if (reader->inAssembly || parameters->set.length == 0) {
        return lb_success();
    }
    reader->set = lb_find_or_make_set(&reader->sets, parameters->set);
    reader->generate = parameters->generate;
    reader->block = blockSet;
    return reader->set >= 0 ? lb_success() : out_of_memory(reader);
}

static lbResult note_section(Reader* reader, const Parameters* parameters) {
    int set = lb_find_or_make_set(&reader->sets, parameters->set);
    return set >= 0 && LB_PUSH(reader->sets.host, &reader->sets.sections, set) ? lb_success() : out_of_memory(reader);
}

static lbResult begin_keyword(Reader* reader, const char* name, const Parameters* parameters) {
    static const char* const refused[] = {"*INCLUDE", "*NGEN",   "*NFILL",  "*NCOPY",  "*NMAP",
                                          "*ELGEN",   "*ELCOPY", "*SYSTEM", "*IMPORT", "*SUBMODEL"};
    reader->block = blockNone;
    reader->continues = false;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); ++i) {
        if (strcmp(name, refused[i]) == 0) {
            return refuse(reader, name,
                          i == 0 ? "other files are not opened; put what it names in its place" : "is not read");
        }
    }
    if (strcmp(name, "*NODE") == 0) {
        return begin_nodes(reader, parameters);
    }
    if (strcmp(name, "*ELEMENT") == 0) {
        return begin_elements(reader, parameters);
    }
    if (strcmp(name, "*ELSET") == 0) {
        return begin_set(reader, parameters);
    }
    if (strcmp(name, "*SOLIDSECTION") == 0) {
        return note_section(reader, parameters);
    }
    if (strcmp(name, "*PART") == 0 && ++reader->partCount > 1) {
        return refuse(reader, name, "a second part; only files of one part are read");
    }
    if (strcmp(name, "*INSTANCE") == 0) {
        reader->inAssembly = false;
        reader->block = blockInstance;
        return ++reader->instanceCount > 1 ? refuse(reader, name, "a second instance; only files of one are read")
                                           : lb_success();
    }
    if (strcmp(name, "*ASSEMBLY") == 0 || strcmp(name, "*ENDINSTANCE") == 0) {
        reader->inAssembly = true;
    } else if (strcmp(name, "*ENDASSEMBLY") == 0) {
        reader->inAssembly = false;
    }
    return lb_success();
}

/* ---- Data lines -------------------------------------------------------------------------------------------------- */

static lbResult read_node(Reader* reader) {
    int64_t number = 0;
    double position[3] = {0};
    lbWord field = {"", 0};
    lb_next_field(&reader->scan, &field);
    if (!lb_field_integer(field, &number)) {
        return lb_field_error(reader->path, reader->scan.line, field, "a node's number");
    }
    for (int k = 0; k < 3 && lb_next_field(&reader->scan, &field); ++k) { /* what is not given is 0 */
        if (field.length > 0 && !lb_field_real(field, &position[k])) {
            return lb_field_error(reader->path, reader->scan.line, field, "'%c' of node %lld, a finite number",
                                  "xyz"[k], (long long)number);
        }
    }
    return lb_add_node(reader->file, reader->scan.line, number, position);
}

/* The next field of an element's record, which goes on in the next line where one ends with a comma or has too few. */
static bool next_of_record(Reader* reader, bool needed, lbWord* field) {
    bool comma = reader->scan.at[-1] == ',';
    if (lb_next_field(&reader->scan, field)) {
        return true;
    }
    if (!comma && !needed) {
        return false;
    }
    lbTextScan ahead = reader->scan;
    lb_skip_line(&ahead);
    if (ahead.at >= ahead.end || *ahead.at == '*') {
        return false;
    }
    reader->scan = ahead;
    return lb_next_field(&reader->scan, field);
}

static lbResult read_element(Reader* reader) {
    int64_t nodes[mostNodes] = {0};
    int corners = lb_corner_count(reader->type.kind), count = 0;
    lbFileElement element = {.kind = reader->type.kind, .place = reader->scan.line, .nodes = nodes};
    lbWord field = {"", 0};
    lb_next_field(&reader->scan, &field);
    if (!lb_field_integer(field, &element.number)) {
        return lb_field_error(reader->path, reader->scan.line, field, "an element's number");
    }
    while (count < reader->type.nodeCount && next_of_record(reader, count < corners, &field)) {
        if (!lb_field_integer(field, &nodes[count])) {
            return lb_field_error(reader->path, reader->scan.line, field, "node %d of element %lld", count + 1,
                                  (long long)element.number);
        }
        ++count;
    }
    if (count < corners) {
        return lb_place_error(reader->path, false, element.place, "element %lld has %d nodes; expected %d",
                              (long long)element.number, count, reader->type.nodeCount);
    }
    while (lb_next_field(&reader->scan, &field)) {
        if (field.length > 0) {
            return lb_place_error(reader->path, false, element.place, "element %lld has more than %d nodes",
                                  (long long)element.number, reader->type.nodeCount);
        }
    }
    element.higherOrder = count > corners;
    LB_TRY(lb_add_element(reader->file, &element));
    return lb_note_tet_set(&reader->sets, reader->file, reader->set) ? lb_success() : out_of_memory(reader);
}

/* Records of elements that are passed over are counted: one for each line that does not go on from the one before. */
static void pass_over_element(Reader* reader) {
    lbWord line = lb_scan_rest(&reader->scan);
    if (!reader->continues) {
        lb_pass_over(reader->file, reader->type.kind, 1);
    }
    reader->continues = line.length > 0 && line.text[line.length - 1] == ',';
}

static bool add_range(Reader* reader, lbSetRange range) {
    range.set = reader->set;
    return LB_PUSH(reader->sets.host, &reader->sets.ranges, range);
}

/* FIRST, LAST [, STEP] */
static lbResult read_generated(Reader* reader) {
    int64_t values[3] = {0, 0, 1};
    lbWord field;
    for (int k = 0; k < 3 && lb_next_field(&reader->scan, &field); ++k) {
        if (field.length > 0 && !lb_field_integer(field, &values[k])) {
            return lb_field_error(reader->path, reader->scan.line, field, "an element's number");
        }
    }
    lbSetRange range = {.other = -1, .first = values[0], .last = values[1], .step = values[2] > 0 ? values[2] : 1};
    return add_range(reader, range) ? lb_success() : out_of_memory(reader);
}

/* Numbers of elements, and names of other sets. */
static lbResult read_set(Reader* reader) {
    lbWord field;
    while (lb_next_field(&reader->scan, &field)) {
        lbSetRange range = {.other = -1, .step = 1};
        if (field.length == 0) {
            continue;
        }
        if (lb_field_integer(field, &range.first)) {
            range.last = range.first;
        } else {
            range.other = lb_find_or_make_set(&reader->sets, without_quotes(field));
            if (range.other < 0) {
                return out_of_memory(reader);
            }
        }
        if (!add_range(reader, range)) {
            return out_of_memory(reader);
        }
    }
    return lb_success();
}

static lbResult read_data(Reader* reader) {
    switch (reader->block) {
    case blockNodes:
        return read_node(reader);
    case blockElements:
        if (lb_corner_count(reader->type.kind) > 0) {
            return read_element(reader);
        }
        pass_over_element(reader);
        return lb_success();
    case blockSet:
        return reader->generate ? read_generated(reader) : read_set(reader);
    case blockInstance:
        return refuse(reader, "*INSTANCE", "an instance that is moved or turned is not read");
    default:
        return lb_success();
    }
}

/* ---- The whole file ---------------------------------------------------------------------------------------------- */

static lbResult read_line(Reader* reader) {
    lbTextScan* scan = &reader->scan;
    if (scan->at[0] != '*') {
        return read_data(reader);
    }
    if (scan->at + 1 < scan->end && scan->at[1] == '*') {
        return lb_success(); /* a comment */
    }
    lbWord field;
    lb_next_field(scan, &field);
    Name name = capitals(field);
    Parameters parameters = read_parameters(reader);
    return begin_keyword(reader, name.text, &parameters);
}

lbResult lb_parse_abaqus(const lbTetSource* source, lbTetFile* file) {
    Reader reader = {.file = file,
                     .path = source->path,
                     .scan = lb_scan_text(source->bytes, source->size),
                     .sets.host = source->host,
                     .set = -1};
    lbResult result = lb_success();
    lb_name_format(file, "Abaqus, text");
    for (lb_skip_space(&reader.scan); result.code == lb_ok && reader.scan.at < reader.scan.end;) {
        result = read_line(&reader);
        lb_skip_line(&reader.scan);
        lb_skip_space(&reader.scan);
    }
    if (result.code == lb_ok) {
        result = lb_set_regions(&reader.sets, file);
    }
    lb_free_element_sets(&reader.sets);
    return result;
}
