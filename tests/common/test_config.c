/* Tests the configuration file: where it is looked for, what it may hold, and what is said
 * about a file that is wrong. */
#include "config.h"
#include "log.h"
#include "support.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The configuration under test and what was said while it was read. */
static struct ah_config config;
static const char *said;
static bool parsed;

static void parse_bytes(const char *text, size_t size)
{
    ah_config_fini(&config);
    ah_config_init(&config);
    void *guarded = ah_test_guard(text, size);
    ah_test_capture();
    parsed = ah_config_parse(&config, guarded, size, "test.json");
    said = ah_test_captured();
    ah_test_unguard(guarded, size);
}

static void parse(const char *text)
{
    parse_bytes(text, strlen(text));
}

static void load(void)
{
    ah_config_fini(&config);
    ah_config_init(&config);
    ah_test_capture();
    ah_config_load(&config, true);
    said = ah_test_captured();
}

static int clean_up(void **state)
{
    ah_config_fini(&config);
    return ah_test_tear_down(state);
}

static void assert_defaults(void)
{
    struct ah_config defaults;
    ah_config_init(&defaults);
    char *expected = ah_config_print(&defaults), *text = ah_config_print(&config);
    assert_string_equal(text, expected);
    cJSON_free(expected);
    cJSON_free(text);
}

static void the_defaults_are_nothing_chosen_and_nothing_logged(void **state)
{
    (void)state;
    ah_config_init(&config);
    assert_null(config.path);
    assert_int_equal(config.backends.count, 0);
    assert_int_equal(config.devices.count, 0);
    for (int i = 0; i < AH_CONFIG_DRIVER_COUNT; i++)
        assert_null(config.driver_library[i]);
    assert_int_equal(config.log_level, 0);
    assert_int_equal(config.log_mask, 0x7fffffff);
    assert_null(config.log_file);
    assert_int_equal(config.log_max_size_mib, 2048);
}

static const char everything[] = "{\"$schema\": \"./anyhip.schema.json\","
                                 " \"backends\": [\"simhsa:gfx90a*2\", \"cuda\"],"
                                 " \"devices\": [1, \"GPU-12\", 0],"
                                 " \"drivers\": {\"cuda\": {\"library\": \"/a/libcuda.so\"},"
                                 "  \"hsa\": {\"library\": \"/b\"},"
                                 "  \"simcuda\": {\"library\": \"/c\"},"
                                 "  \"simhsa\": {\"library\": \"/d\"}},"
                                 " \"log\": {\"level\": 4, \"mask\": \"0x10001\","
                                 "  \"file\": \"/tmp/x\", \"max_size_mib\": 7},"
                                 " \"sim\": {\"devices\": \"sm_80*2,sm_90\","
                                 "  \"memory\": \"512MiB\", \"threads\": 3, \"seed\": \"42\","
                                 "  \"checks\": [\"races\", \"sync\"], \"units\": 4,"
                                 "  \"shared\": \"48KiB\", \"timeout\": \"2.5\","
                                 "  \"progress\": \"0\", \"faults\": [\"alloc:2\"],"
                                 "  \"profile\": \"counts\"}}";

static void every_key_is_read(void **state)
{
    (void)state;
    parse(everything);
    assert_true(parsed);
    assert_string_equal(said, "");
    assert_int_equal(config.backends.count, 2);
    assert_string_equal(config.backends.items[0], "simhsa:gfx90a*2");
    assert_string_equal(config.backends.items[1], "cuda");
    assert_int_equal(config.devices.count, 3);
    assert_string_equal(config.devices.items[0], "1");
    assert_string_equal(config.devices.items[1], "GPU-12");
    assert_string_equal(config.devices.items[2], "0");
    assert_string_equal(config.driver_library[0], "/a/libcuda.so");
    assert_string_equal(config.driver_library[1], "/b");
    assert_string_equal(config.driver_library[2], "/c");
    assert_string_equal(config.driver_library[3], "/d");
    assert_int_equal(config.log_level, 4);
    assert_int_equal(config.log_mask, 0x10001);
    assert_string_equal(config.log_file, "/tmp/x");
    assert_int_equal(config.log_max_size_mib, 7);
    assert_string_equal(config.sim_devices, "sm_80*2,sm_90");
    assert_string_equal(config.sim_memory, "512MiB");
    assert_int_equal(config.sim_threads, 3);
    assert_string_equal(config.sim_seed, "42");
    assert_int_equal(config.sim_checks.count, 2);
    assert_string_equal(config.sim_checks.items[1], "sync");
    assert_int_equal(config.sim_units, 4);
    assert_string_equal(config.sim_shared, "48KiB");
    assert_string_equal(config.sim_timeout, "2.5");
    assert_string_equal(config.sim_progress, "0");
    assert_int_equal(config.sim_faults.count, 1);
    assert_string_equal(config.sim_faults.items[0], "alloc:2");
    assert_string_equal(config.sim_profile, "counts");
}

static void what_is_printed_reads_back_the_same(void **state)
{
    (void)state;
    parse(everything);
    char *text = ah_config_print(&config);
    parse(text);
    assert_true(parsed);
    char *again = ah_config_print(&config);
    assert_string_equal(again, text);
    cJSON_free(again);
    cJSON_free(text);
}

static void masks_are_numbers_or_texts_of_any_base(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int mask;
    } masks[] = {{"1", 1},
                 {"-1", -1},
                 {"4294967295", -1},
                 {"\"0x1\"", 1},
                 {"\"017\"", 15},
                 {"\"12\"", 12},
                 {"\"-1\"", -1},
                 {"2147483647", INT_MAX},
                 {"-2147483648", INT_MIN}};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        parse(ah_test_print("{\"log\": {\"mask\": %s}}", masks[i].text));
        assert_string_equal(said, "");
        assert_int_equal(config.log_mask, masks[i].mask);
    }
}

static void empty_values_are_as_good_as_none(void **state)
{
    (void)state;
    parse(
        "{\"backends\": [], \"devices\": [], \"drivers\": {\"cuda\": {\"library\": \"\"}, \"hsa\":"
        " {}}, \"log\": {\"file\": \"\"}}");
    assert_true(parsed);
    assert_string_equal(said, "");
    assert_defaults();
    parse("{}");
    assert_true(parsed);
    assert_defaults();
}

static void an_unknown_key_is_named_with_its_path_and_the_rest_is_read(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "\"backend\": 1",
        "\"\": 1",
        "\"log.level\": 3",
        "\"drivers.cuda.library\": \"x\"",
        "\"drivers\": {\"rocm\": {\"library\": \"x\"}}",
        "\"drivers\": {\"cuda\": {\"librarry\": \"x\"}}",
        "\"drivers\": {\"cuda.library\": \"x\"}",
        "\"log\": {\"$schema\": 1}",
        "\"log\": {\"Level\": 1}",
    };
    static const char *const paths[] = {"backend",
                                        "",
                                        "log.level",
                                        "drivers.cuda.library",
                                        "drivers.rocm",
                                        "drivers.cuda.librarry",
                                        "drivers.cuda.library",
                                        "log.$schema",
                                        "log.Level"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        parse(ah_test_print("{%s, \"devices\": [7]}", keys[i]));
        assert_true(parsed);
        assert_int_equal(ah_test_count_lines(said), 1);
        assert_contains(said, ah_test_print("test.json: unknown key \"%s\"", paths[i]));
        assert_int_equal(config.devices.count, 1);
        ah_config_fini(&config);
        ah_config_init(&config);
        assert_defaults();
    }
}

static void an_unknown_key_that_is_nearly_one_is_told_the_key(void **state)
{
    (void)state;
    parse("{\"devces\": []}");
    assert_contains(said, "unknown key \"devces\" is ignored; is \"devices\" meant?");
    parse("{\"drivers\": {\"cuda\": {\"librarry\": \"x\"}}}");
    assert_contains(said, "is \"drivers.cuda.library\" meant?");
    parse("{\"nothing like it\": 1, \"log.level\": 1}");
    assert_null(strstr(said, "meant"));
    assert_contains(said, "config/README.md lists the keys");
}

/* Where two libraries of a process read the file, one tells. */
static void a_file_is_read_without_a_word_where_another_tells(void **state)
{
    static const char *const texts[] = {
        "{\"devces\": [], \"log\": {\"level\": 3}}",
        "{\"devices\": 7, \"log\": {\"level\": 3}}",
        "{\"drivers\": [], \"log\": {\"level\": 3}}",
        "[]",
        "{",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ah_config_fini(&config);
        ah_config_init(&config);
        ah_test_capture();
        assert_int_equal(ah_config_parse(&config, texts[i], strlen(texts[i]), NULL), i < 3);
        assert_string_equal(ah_test_captured(), "");
        assert_int_equal(config.log_level, i < 3 ? 3 : 0);
    }
    ah_test_setenv("ANYHIP_CONFIG", "/nowhere/at/all.json");
    ah_test_capture();
    ah_config_load(&config, false);
    assert_string_equal(ah_test_captured(), "");
}

static void variables_that_nothing_reads_are_told(void **state)
{
    (void)state;
    ah_test_capture();
    ah_config_check_variables();
    assert_string_equal(ah_test_captured(), "");
    ah_test_setenv("ANYHIP_BACKENT", "cuda");
    ah_test_setenv("ANYHIP_SIM_SEED", "1");
    ah_test_setenv("ANYHIP_ROOT", "/usr");
    ah_test_setenv("ANYHIPPO", "1");
    ah_test_setenv("ANYHIP_COLOUR_OF_THE_LOG", "blue");
    ah_test_capture();
    ah_config_check_variables();
    said = ah_test_captured();
    assert_int_equal(ah_test_count_lines(said), 2);
    assert_contains(said, "environment variable ANYHIP_BACKENT; is ANYHIP_BACKEND meant?");
    assert_contains(said, "environment variable ANYHIP_COLOUR_OF_THE_LOG; config/README.md");
}

static void an_unknown_key_of_any_length_is_survived(void **state)
{
    (void)state;
    parse(ah_test_print("{\"%0300d\": 1, \"log\": {\"%0300d\": {\"level\": 3}}}", 7, 8));
    assert_true(parsed);
    assert_int_equal(ah_test_count_lines(said), 2);
    assert_int_equal(config.log_level, 0);
}

static void a_value_of_the_wrong_type_is_named_and_leaves_its_default(void **state)
{
    (void)state;
    static const struct {
        const char *text, *path;
    } wrong[] = {
        {"\"backends\": \"cuda\"", "backends"},
        {"\"backends\": [1]", "backends"},
        {"\"backends\": [\"cuda\", null]", "backends"},
        {"\"devices\": 3", "devices"},
        {"\"devices\": [1.5]", "devices"},
        {"\"devices\": [-1]", "devices"},
        {"\"devices\": [1e300]", "devices"},
        {"\"devices\": [true]", "devices"},
        {"\"devices\": [[0]]", "devices"},
        {"\"drivers\": []", "drivers"},
        {"\"drivers\": {\"cuda\": \"/lib/libcuda.so\"}", "drivers.cuda"},
        {"\"drivers\": {\"cuda\": {\"library\": 1}}", "drivers.cuda.library"},
        {"\"drivers\": {\"simhsa\": {\"library\": null}}", "drivers.simhsa.library"},
        {"\"log\": 3", "log"},
        {"\"log\": null", "log"},
        {"\"log\": {\"level\": \"3\"}", "log.level"},
        {"\"log\": {\"level\": 6}", "log.level"},
        {"\"log\": {\"level\": -1}", "log.level"},
        {"\"log\": {\"level\": 1.5}", "log.level"},
        {"\"log\": {\"level\": true}", "log.level"},
        {"\"log\": {\"mask\": \"api\"}", "log.mask"},
        {"\"log\": {\"mask\": \"\"}", "log.mask"},
        {"\"log\": {\"mask\": 4294967296}", "log.mask"},
        {"\"log\": {\"mask\": \"0x100000000\"}", "log.mask"},
        {"\"log\": {\"mask\": 1e400}", "log.mask"},
        {"\"log\": {\"file\": false}", "log.file"},
        {"\"log\": {\"max_size_mib\": -1}", "log.max_size_mib"},
        {"\"log\": {\"max_size_mib\": 0.5}", "log.max_size_mib"},
        {"\"log\": {\"max_size_mib\": 1e30}", "log.max_size_mib"},
        {"\"log\": {\"max_size_mib\": {}}", "log.max_size_mib"},
        {"\"sim\": 1", "sim"},
        {"\"sim\": {\"memory\": 16}", "sim.memory"},
        {"\"sim\": {\"threads\": 1025}", "sim.threads"},
        {"\"sim\": {\"threads\": -1}", "sim.threads"},
        {"\"sim\": {\"seed\": 1}", "sim.seed"},
        {"\"sim\": {\"checks\": \"all\"}", "sim.checks"},
        {"\"sim\": {\"units\": 0.5}", "sim.units"},
        {"\"sim\": {\"faults\": [1]}", "sim.faults"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        parse(ah_test_print("{%s}", wrong[i].text));
        assert_true(parsed);
        assert_int_equal(ah_test_count_lines(said), 1);
        assert_contains(said, ah_test_print("test.json: \"%s\" must be ", wrong[i].path));
        assert_true(strstr(said, ": its default is used") ||
                    strstr(said, " must be an object: defaults are used"));
        assert_defaults();
    }
}

static void a_value_of_the_wrong_type_does_not_keep_others_from_being_read(void **state)
{
    (void)state;
    parse("{\"log\": {\"level\": \"x\", \"mask\": 5}, \"devices\": 1, \"backends\": [\"hsa\"]}");
    assert_int_equal(ah_test_count_lines(said), 2);
    assert_int_equal(config.log_mask, 5);
    assert_int_equal(config.backends.count, 1);
}

static void of_a_key_given_twice_the_last_counts(void **state)
{
    (void)state;
    parse("{\"log\": {\"level\": 1, \"file\": \"a\"}, \"log\": {\"level\": 2, \"file\": \"b\"},"
          " \"devices\": [1, 2], \"devices\": [3]}");
    assert_string_equal(said, "");
    assert_int_equal(config.log_level, 2);
    assert_string_equal(config.log_file, "b");
    assert_int_equal(config.devices.count, 1);
}

static void assert_malformed(const char *text, size_t size, const char *where, const char *what)
{
    parse_bytes(text, size);
    assert_false(parsed);
    assert_int_equal(ah_test_count_lines(said), 1);
    assert_contains(said, ah_test_print("test.json:%s: %s: the defaults are used", where, what));
    assert_defaults();
}

static void a_malformed_file_is_one_error_with_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where;
    } malformed[] = {
        {"{\n  \"log\": {\n    \"level\": 3,\n  }\n}\n", "4:4"},
        {"{\n\n  \"log\": x\n}", "3:10"},
        {"{\"log\": {}} trailing", "1:12"},
        {"{} {}", "1:3"},
        {"{", "1:1"},
        {"{\"a\"", "1:4"},
        {"\n\n  nonsense", "3:3"},
        {"{\"devices\": [1, 2}", "1:18"},
    };
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        assert_malformed(malformed[i].text, strlen(malformed[i].text), malformed[i].where,
                         "not valid JSON");
}

static void an_empty_file_is_malformed(void **state)
{
    (void)state;
    assert_malformed("", 0, "1:1", "not valid JSON");
    assert_malformed("\n", 1, "1:1", "not valid JSON");
    assert_malformed("\0\0", 2, "1:2", "not valid JSON");
}

static void a_file_that_holds_no_object_is_refused(void **state)
{
    (void)state;
    static const char *const others[] = {"[]", "\"text\"", "3", "null", "true", "[{\"log\": {}}]"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_malformed(others[i], strlen(others[i]), "1:1", "the file must hold one JSON object");
}

static void deep_nesting_is_survived(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH);
    memset(text, '[', DEPTH);
    parse_bytes(text, DEPTH);
    assert_false(parsed);
    free(text);
}

static void every_truncation_of_a_file_is_survived(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof everything - 1; size++) {
        parse_bytes(everything, size);
        assert_false(parsed);
        assert_int_equal(ah_test_count_lines(said), 1);
    }
}

/* ---- where it is looked for --------------------------------------------- */

static const char minimal[] = "{\"devices\": [%d]}";

/* A configuration that is told from others by the device it names. */
static const char *write_config(const char *name, int device)
{
    return ah_test_write_text(name, ah_test_print(minimal, device));
}

static void assert_loaded(const char *path, int device)
{
    load();
    assert_string_equal(said, "");
    assert_non_null(config.path);
    assert_string_equal(config.path, path);
    assert_int_equal(config.devices.count, 1);
    assert_string_equal(config.devices.items[0], ah_test_print("%d", device));
}

static void use_folders(void)
{
    ah_test_setenv("ANYHIP_CONFIG", NULL);
    ah_test_setenv("XDG_CONFIG_HOME", ah_test_path("xdg"));
    ah_test_setenv("HOME", ah_test_path("home"));
    remove(AH_TEST_SYSCONFDIR "/anyhip/anyhip.json");
}

static const char *write_system_config(int device)
{
    static const char path[] = AH_TEST_SYSCONFDIR "/anyhip/anyhip.json";
    mkdir(AH_TEST_SYSCONFDIR, 0700);
    mkdir(AH_TEST_SYSCONFDIR "/anyhip", 0700);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fprintf(file, minimal, device);
    fclose(file);
    return path;
}

static void without_any_file_the_defaults_hold_silently(void **state)
{
    (void)state;
    use_folders();
    load();
    assert_string_equal(said, "");
    assert_null(config.path);
    assert_defaults();
}

static void the_first_file_that_exists_is_read(void **state)
{
    (void)state;
    use_folders();
    assert_loaded(write_system_config(4), 4);
    write_config("home/.config/anyhip/anyhip.json", 3);
    assert_loaded(AH_TEST_SYSCONFDIR "/anyhip/anyhip.json", 4); /* XDG_CONFIG_HOME replaces it */
    assert_loaded(write_config("xdg/anyhip/anyhip.json", 2), 2);
    const char *named = write_config("named.json", 1);
    ah_test_setenv("ANYHIP_CONFIG", named);
    assert_loaded(named, 1);
    ah_test_setenv("ANYHIP_CONFIG", ah_test_print("\"%s\"", named));
    assert_loaded(named, 1);
}

static void without_xdg_config_home_the_home_folder_counts(void **state)
{
    (void)state;
    use_folders();
    write_config("xdg/anyhip/anyhip.json", 2);
    const char *home = write_config("home/.config/anyhip/anyhip.json", 3);
    static const char *const useless[] = {NULL, "", "relative"};
    for (int i = 0; i < 3; i++) {
        ah_test_setenv("XDG_CONFIG_HOME", useless[i]);
        assert_loaded(home, 3);
    }
    ah_test_setenv("HOME", NULL);
    load();
    assert_null(config.path);
}

static void an_empty_anyhip_config_counts_as_unset(void **state)
{
    (void)state;
    use_folders();
    const char *path = write_config("xdg/anyhip/anyhip.json", 2);
    ah_test_setenv("ANYHIP_CONFIG", "");
    assert_loaded(path, 2);
}

static void a_named_file_that_is_absent_is_an_error_and_ends_the_search(void **state)
{
    (void)state;
    use_folders();
    write_config("xdg/anyhip/anyhip.json", 2);
    const char *absent = ah_test_path("absent.json");
    ah_test_setenv("ANYHIP_CONFIG", absent);
    load();
    assert_int_equal(ah_test_count_lines(said), 1);
    assert_contains(said, absent);
    assert_contains(said, "cannot read the configuration ");
    assert_contains(said, " (No such file or directory): the defaults are used");
    assert_null(config.path);
    assert_defaults();
}

static void a_malformed_file_ends_the_search_too(void **state)
{
    (void)state;
    use_folders();
    const char *path = ah_test_write_text("xdg/anyhip/anyhip.json", "{\n\"log\" 3}");
    write_system_config(4);
    load();
    assert_int_equal(ah_test_count_lines(said), 1);
    assert_contains(said, ah_test_print("%s:2:7: not valid JSON", path));
    assert_null(config.path);
    assert_defaults();
}

static void assert_unreadable(const char *path, const char *reason)
{
    ah_test_setenv("ANYHIP_CONFIG", path);
    load();
    assert_int_equal(ah_test_count_lines(said), 1);
    assert_contains(said, path);
    assert_contains(said, reason);
    assert_defaults();
}

static void a_folder_or_a_huge_file_is_refused_with_the_reason(void **state)
{
    (void)state;
    use_folders();
    assert_unreadable("/tmp", "Is a directory");
    const char *huge = write_config("huge.json", 1);
    assert_int_equal(truncate(huge, (1 << 20) + 1), 0);
    assert_unreadable(huge, "File too large");
    assert_unreadable("/dev/zero", "File too large");
}

static void a_file_of_the_largest_size_is_read(void **state)
{
    (void)state;
    enum { LARGEST = 1 << 20 };
    use_folders();
    char *text = malloc(LARGEST);
    memset(text, ' ', LARGEST);
    memcpy(text + LARGEST - 16, "{\"devices\": [1]}", 16);
    const char *path = ah_test_write_file("large.json", text, LARGEST);
    free(text);
    ah_test_setenv("ANYHIP_CONFIG", path);
    assert_loaded(path, 1);
}

/* In a child of the superuser: 0 when the first file is read and the second is refused. */
static int become_nobody_and_load(const char *readable, const char *secret)
{
    if (setgid(65534) != 0 || setuid(65534) != 0)
        return 2;
    ah_test_setenv("ANYHIP_CONFIG", readable);
    load();
    if (*said)
        return 3;
    ah_test_setenv("ANYHIP_CONFIG", secret);
    load();
    return strstr(said, secret) && strstr(said, "Permission denied") ? 0 : 4;
}

static void a_file_without_permission_is_refused_with_the_reason(void **state)
{
    (void)state;
    use_folders();
    const char *path = write_config("secret.json", 1);
    assert_int_equal(chmod(path, 0), 0);
    if (access(path, R_OK) != 0) {
        assert_unreadable(path, "Permission denied");
        return;
    }
    /* The superuser reads every file: a child that is somebody else does not. */
    const char *open_to_all = write_config("open.json", 1);
    int status;
    assert_int_equal(chmod(ah_test_path(""), 0711), 0);
    assert_int_equal(chmod(open_to_all, 0644), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(become_nobody_and_load(open_to_all, path));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- the files under config/ -------------------------------------------- */

static cJSON *read_json(const char *path)
{
    char *text = ah_test_read_file(path, NULL);
    assert_non_null(text);
    cJSON *root = cJSON_Parse(text);
    assert_non_null(root);
    return root;
}

static void the_example_file_holds_every_key_at_its_default(void **state)
{
    (void)state;
    cJSON *example = read_json(AH_TEST_CONFIG "/anyhip.json");
    cJSON_DeleteItemFromObjectCaseSensitive(example, "$schema");
    ah_config_init(&config);
    char *text = ah_config_print(&config);
    cJSON *defaults = cJSON_Parse(text);
    assert_true(cJSON_Compare(example, defaults, true));
    cJSON_Delete(example);
    cJSON_Delete(defaults);
    cJSON_free(text);
    ah_test_setenv("ANYHIP_CONFIG", AH_TEST_CONFIG "/anyhip.json");
    load();
    assert_string_equal(said, "");
    assert_non_null(config.path);
    assert_defaults();
}

/* Writes the paths of all values under an object of a JSON schema, each on a line. */
static void list_schema(const cJSON *object, const char *prefix, char *out, size_t size)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(object, "properties"))
    {
        const char *path = ah_test_print("%s%s%s", prefix, *prefix ? "." : "", item->string);
        if (cJSON_HasObjectItem(item, "properties"))
            list_schema(item, path, out, size);
        else if (strcmp(path, "$schema") != 0)
            snprintf(out + strlen(out), size - strlen(out), "%s\n", path);
    }
}

static void the_schema_file_names_the_same_keys_as_the_library(void **state)
{
    (void)state;
    char listed[2048] = "", known[2048] = "";
    cJSON *schema = read_json(AH_TEST_CONFIG "/anyhip.schema.json");
    list_schema(schema, "", listed, sizeof listed);
    cJSON_Delete(schema);
    for (size_t i = 0; ah_config_key(i); i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s\n", ah_config_key(i));
    assert_string_equal(listed, known);
}

static void the_table_of_keys_names_every_one(void **state)
{
    (void)state;
    const char *table = ah_test_read_file(AH_TEST_CONFIG "/README.md", NULL);
    assert_non_null(table);
    for (size_t i = 0; ah_config_key(i); i++)
        assert_contains(table, ah_test_print("`%s`", ah_config_key(i)));
}

#define CONFIG_TEST(function) cmocka_unit_test_setup_teardown(function, ah_test_set_up, clean_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_TEST(the_defaults_are_nothing_chosen_and_nothing_logged),
        CONFIG_TEST(every_key_is_read),
        CONFIG_TEST(what_is_printed_reads_back_the_same),
        CONFIG_TEST(masks_are_numbers_or_texts_of_any_base),
        CONFIG_TEST(empty_values_are_as_good_as_none),
        CONFIG_TEST(an_unknown_key_is_named_with_its_path_and_the_rest_is_read),
        CONFIG_TEST(an_unknown_key_that_is_nearly_one_is_told_the_key),
        CONFIG_TEST(a_file_is_read_without_a_word_where_another_tells),
        CONFIG_TEST(variables_that_nothing_reads_are_told),
        CONFIG_TEST(an_unknown_key_of_any_length_is_survived),
        CONFIG_TEST(a_value_of_the_wrong_type_is_named_and_leaves_its_default),
        CONFIG_TEST(a_value_of_the_wrong_type_does_not_keep_others_from_being_read),
        CONFIG_TEST(of_a_key_given_twice_the_last_counts),
        CONFIG_TEST(a_malformed_file_is_one_error_with_line_and_column),
        CONFIG_TEST(an_empty_file_is_malformed),
        CONFIG_TEST(a_file_that_holds_no_object_is_refused),
        CONFIG_TEST(deep_nesting_is_survived),
        CONFIG_TEST(every_truncation_of_a_file_is_survived),
        CONFIG_TEST(without_any_file_the_defaults_hold_silently),
        CONFIG_TEST(the_first_file_that_exists_is_read),
        CONFIG_TEST(without_xdg_config_home_the_home_folder_counts),
        CONFIG_TEST(an_empty_anyhip_config_counts_as_unset),
        CONFIG_TEST(a_named_file_that_is_absent_is_an_error_and_ends_the_search),
        CONFIG_TEST(a_malformed_file_ends_the_search_too),
        CONFIG_TEST(a_folder_or_a_huge_file_is_refused_with_the_reason),
        CONFIG_TEST(a_file_of_the_largest_size_is_read),
        CONFIG_TEST(a_file_without_permission_is_refused_with_the_reason),
        CONFIG_TEST(the_example_file_holds_every_key_at_its_default),
        CONFIG_TEST(the_schema_file_names_the_same_keys_as_the_library),
        CONFIG_TEST(the_table_of_keys_names_every_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
