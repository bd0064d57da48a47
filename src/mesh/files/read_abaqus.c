/* Abaqus input (and what CalculiX, Gmsh and others write in its manner): *NODE, *ELEMENT of solid types, *ELSET, *NSET,
 * *SOLID SECTION, and *MATERIAL with *ELASTIC and *DENSITY; one part. Keywords that would change the mesh but are not
 * understood are refused, the rest is passed over. */
#include "base/result.h"
#include "mesh/files/abaqus.h"
#include "mesh/files/element_sets.h"
#include "mesh/files/fields.h"
#include "mesh/files/values.h"

#include <math.h>
#include <string.h>

enum { mostNodes = 27 };

typedef enum Block {
    blockNone,
    blockNodes,
    blockElements,
    blockSet,
    blockNodeSet,
    blockElastic,
    blockDensity,
    blockInstance
} Block;

/* A material, and which section is made of one: of the sections of the sets in their order. */
typedef struct Material {
    lbWord name;
    lbMatter matter; /* NAN: not known */
} Material;

typedef struct Reader {
    lbTetFile* file;
    const char* path;
    lbTextScan scan;
    lbElementSets sets, nodeSets;
    LB_ARRAY(Material) materials;
    LB_ARRAY(lbWord) sectionMaterials; /* (sections of the sets) */
    int nodeSet;                       /* of a block of nodes or of a set of them; -1: none */
    Block block;                       /* whose data lines come now */
    lbAbaqusType type;                 /* of a block of elements */
    int set;                           /* of a block of elements or of a set; -1: none */
    bool generate;                     /* a set of ranges */
    bool continues;                    /* the data line before ended with a comma */
    int partCount, instanceCount;
    bool inAssembly; /* outside of its instances: its nodes are reference points */
} Reader;

static lbResult out_of_memory(const Reader* reader) {
    return lb_error(lb_errorMemory, "%s: out of memory", reader->path);
}

static lbResult refuse(const Reader* reader, const char* keyword, const char* why) {
    return lb_error(lb_errorUnsupported, "%s:%d: %s: %s", reader->path, reader->scan.line, keyword, why);
}

/* ---- Keywords ---------------------------------------------------------------------------------------------------- */

static lbResult begin_nodes(Reader* reader, const lbAbaqusParameters* parameters) {
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
    reader->nodeSet = -1;
    if (parameters->nodeSet.length > 0) {
        reader->nodeSet = lb_find_or_make_set(&reader->nodeSets, parameters->nodeSet);
        return reader->nodeSet >= 0 ? lb_success() : out_of_memory(reader);
    }
    return lb_success();
}

/* Of the assembly, only those of nodes of its instance: others are reference points, with numbers of their own. */
static lbResult begin_node_set(Reader* reader, const lbAbaqusParameters* parameters) {
    if (parameters->nodeSet.length == 0 || (reader->inAssembly && parameters->instance.length == 0)) {
        return lb_success();
    }
    reader->nodeSet = lb_find_or_make_set(&reader->nodeSets, parameters->nodeSet);
    reader->generate = parameters->generate;
    reader->block = blockNodeSet;
    return reader->nodeSet >= 0 ? lb_success() : out_of_memory(reader);
}

static lbResult begin_material(Reader* reader, const lbAbaqusParameters* parameters) {
    Material material = {parameters->name, {NAN, NAN, NAN}};
    return LB_PUSH(reader->sets.host, &reader->materials, material) ? lb_success() : out_of_memory(reader);
}

static lbResult begin_elastic(Reader* reader, const lbAbaqusParameters* parameters) {
    lbAbaqusName type = lb_abaqus_name(parameters->type);
    if (type.text[0] == 0 || strcmp(type.text, "ISOTROPIC") == 0 || strcmp(type.text, "ISO") == 0) {
        reader->block = blockElastic;
    }
    return lb_success();
}

static lbResult begin_elements(Reader* reader, const lbAbaqusParameters* parameters) {
    if (reader->inAssembly) {
        return lb_success();
    }
    if (parameters->input.length > 0) {
        return refuse(reader, "*ELEMENT", "INPUT names another file, which is not opened");
    }
    lbAbaqusName name = lb_abaqus_name(parameters->type);
    reader->type = lb_abaqus_type(name.text);
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

static lbResult begin_set(Reader* reader, const lbAbaqusParameters* parameters) {
    if (reader->inAssembly || parameters->set.length == 0) {
        return lb_success();
    }
    reader->set = lb_find_or_make_set(&reader->sets, parameters->set);
    reader->generate = parameters->generate;
    reader->block = blockSet;
    return reader->set >= 0 ? lb_success() : out_of_memory(reader);
}

static lbResult note_section(Reader* reader, const lbAbaqusParameters* parameters) {
    if (parameters->set.length == 0) {
        return lb_success();
    }
    int set = lb_find_or_make_set(&reader->sets, parameters->set);
    return set >= 0 && LB_PUSH(reader->sets.host, &reader->sets.sections, set) &&
                   LB_PUSH(reader->sets.host, &reader->sectionMaterials, parameters->material)
               ? lb_success()
               : out_of_memory(reader);
}

static lbResult begin_keyword(Reader* reader, const char* name, const lbAbaqusParameters* parameters) {
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
    if (strcmp(name, "*NSET") == 0) {
        return begin_node_set(reader, parameters);
    }
    if (strcmp(name, "*SOLIDSECTION") == 0) {
        return note_section(reader, parameters);
    }
    if (strcmp(name, "*MATERIAL") == 0) {
        return begin_material(reader, parameters);
    }
    if (strcmp(name, "*ELASTIC") == 0 && reader->materials.count > 0) {
        return begin_elastic(reader, parameters);
    }
    if (strcmp(name, "*DENSITY") == 0 && reader->materials.count > 0) {
        reader->block = blockDensity;
        return lb_success();
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
    lbSetRange own = {.set = reader->nodeSet, .other = -1, .first = number, .last = number, .step = 1};
    if (reader->nodeSet >= 0 && !LB_PUSH(reader->sets.host, &reader->nodeSets.ranges, own)) {
        return out_of_memory(reader);
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

/* To the set that is read: of elements, or of nodes. */
static bool add_range(Reader* reader, lbSetRange range) {
    bool nodes = reader->block == blockNodeSet;
    range.set = nodes ? reader->nodeSet : reader->set;
    return nodes ? LB_PUSH(reader->sets.host, &reader->nodeSets.ranges, range)
                 : LB_PUSH(reader->sets.host, &reader->sets.ranges, range);
}

/* FIRST, LAST [, STEP] */
static lbResult read_generated(Reader* reader) {
    int64_t values[3] = {0, 0, 1};
    lbWord field;
    for (int k = 0; k < 3 && lb_next_field(&reader->scan, &field); ++k) {
        if (field.length > 0 && !lb_field_integer(field, &values[k])) {
            return lb_field_error(reader->path, reader->scan.line, field, "a number of a node or an element");
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
            range.other = lb_find_or_make_set(reader->block == blockNodeSet ? &reader->nodeSets : &reader->sets,
                                              lb_without_quotes(field));
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

/* E, nu; or a density. The first line counts, others are of other temperatures. */
static lbResult read_matter(Reader* reader) {
    lbMatter* matter = &reader->materials.data[reader->materials.count - 1].matter;
    bool elastic = reader->block == blockElastic;
    float* numbers[2] = {elastic ? &matter->youngsModulus : &matter->density, &matter->poissonsRatio};
    for (int k = 0; k < (elastic ? 2 : 1); ++k) {
        lbWord field = {"", 0};
        double value = 0;
        lb_next_field(&reader->scan, &field);
        if (!lb_field_real(field, &value)) {
            return lb_field_error(reader->path, reader->scan.line, field, "%s, a number",
                                  !elastic ? "a density"
                                  : k == 0 ? "Young's modulus"
                                           : "Poisson's ratio");
        }
        *numbers[k] = (float)value;
    }
    reader->block = blockNone;
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
    case blockElastic:
    case blockDensity:
        return read_matter(reader);
    case blockNodeSet:
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
    lbAbaqusName name = lb_abaqus_name(field);
    lbAbaqusParameters parameters = lb_read_abaqus_parameters(scan);
    return begin_keyword(reader, name.text, &parameters);
}

static lbResult find_section_matter(Reader* reader) {
    for (int i = 0; i < reader->sectionMaterials.count; ++i) {
        lbMatter matter = {NAN, NAN, NAN};
        lbWord name = reader->sectionMaterials.data[i];
        for (int k = 0; k < reader->materials.count; ++k) {
            lbWord other = reader->materials.data[k].name;
            if (other.length == name.length && lb_words_are_alike(other, name)) {
                matter = reader->materials.data[k].matter;
            }
        }
        if (!LB_PUSH(reader->sets.host, &reader->sets.matters, matter)) {
            return out_of_memory(reader);
        }
    }
    return lb_success();
}

static lbResult make_groups(Reader* reader) {
    LB_TRY(find_section_matter(reader));
    LB_TRY(lb_set_regions(&reader->sets, reader->file));
    LB_TRY(lb_group_node_sets(&reader->nodeSets, reader->file));
    return lb_group_element_sets(&reader->sets, reader->file);
}

lbResult lb_parse_abaqus(const lbTetSource* source, lbTetFile* file) {
    Reader reader = {.file = file,
                     .path = source->path,
                     .scan = lb_scan_text(source->bytes, source->size),
                     .sets.host = source->host,
                     .nodeSets.host = source->host,
                     .nodeSet = -1,
                     .set = -1};
    lbResult result = lb_success();
    lb_name_format(file, "Abaqus, text");
    for (lb_skip_space(&reader.scan); result.code == lb_ok && reader.scan.at < reader.scan.end;) {
        result = read_line(&reader);
        lb_skip_line(&reader.scan);
        lb_skip_space(&reader.scan);
    }
    if (result.code == lb_ok) {
        result = make_groups(&reader);
    }
    lb_free_element_sets(&reader.sets);
    lb_free_element_sets(&reader.nodeSets);
    LB_FREE_ARRAY(source->host, &reader.materials);
    LB_FREE_ARRAY(source->host, &reader.sectionMaterials);
    return result;
}
