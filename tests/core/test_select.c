/* Tests the small languages that choose backends and devices. */
#include "select.h"
#include "support.h"

#include <string.h>

/* ---- ANYHIP_BACKEND ------------------------------------------------------ */

static struct ah_backend_request requests[AH_BACKEND_REQUEST_MAX];
static const char *said;

/* The requests as one text: "name(devices) name(devices)". */
static const char *parse(const char *text)
{
    char *joined = ah_test_print("%s", "");
    ah_test_capture();
    size_t count = ah_select_parse_backends(text, "ANYHIP_BACKEND", requests);
    said = ah_test_captured();
    assert_true(count <= AH_BACKEND_REQUEST_MAX);
    for (size_t i = 0; i < count; i++)
        joined = ah_test_print("%s%s%s(%s)", joined, i ? " " : "", requests[i].name,
                               requests[i].devices);
    return joined;
}

static void a_backend_is_a_name(void **state)
{
    (void)state;
    assert_string_equal(parse("cuda"), "cuda()");
    assert_string_equal(parse("hsa,cuda"), "hsa() cuda()");
    assert_string_equal(parse(" hsa ,\tcuda "), "hsa() cuda()");
    assert_string_equal(said, "");
}

static void a_model_and_a_count_may_follow(void **state)
{
    (void)state;
    assert_string_equal(parse("simhsa:gfx90a"), "simhsa(gfx90a*1)");
    assert_string_equal(parse("simhsa:gfx90a*2"), "simhsa(gfx90a*2)");
    assert_string_equal(parse("simhsa*3"), "simhsa(default*3)");
    assert_string_equal(parse("simhsa:gfx90a:xnack-*64"), "simhsa(gfx90a:xnack-*64)");
    assert_string_equal(said, "");
}

static void elements_of_one_name_are_merged_in_order(void **state)
{
    (void)state;
    assert_string_equal(parse("simhsa:gfx90a*2,simcuda:sm_80"),
                        "simhsa(gfx90a*2) simcuda(sm_80*1)");
    assert_string_equal(parse("simhsa:gfx90a,cuda,simhsa:gfx1100*3,simhsa:gfx90a"),
                        "simhsa(gfx90a*1,gfx1100*3,gfx90a*1) cuda()");
    assert_string_equal(parse("cuda,cuda"), "cuda()");
    assert_string_equal(said, "");
}

static void junk_is_named_and_left_out(void **state)
{
    (void)state;
    static const char *const junk[] = {"",           ":gfx90a",
                                       "*2",         "simhsa:",
                                       "simhsa:*2",  "simhsa*",
                                       "simhsa*0",   "simhsa*-1",
                                       "simhsa*65",  "simhsa*two",
                                       "simhsa*2*3", "simhsa:a*",
                                       "simhsa* ",   "a_name_too_long_for_it"};
    for (size_t i = 0; i < sizeof junk / sizeof *junk; i++) {
        assert_string_equal(parse(ah_test_print("cuda,%s,hsa", junk[i])), "cuda() hsa()");
        assert_int_equal(ah_test_count_lines(said), 1);
        const char *shown = ah_test_print("ANYHIP_BACKEND: \"%s\"", junk[i]);
        assert_contains(said, ah_test_print("%.*s", (int)(strlen(shown) - 2), shown));
        assert_contains(said, "ignored");
    }
}

static void a_list_of_nothing_asks_for_nothing(void **state)
{
    (void)state;
    assert_string_equal(parse(""), "");
    assert_string_equal(parse(",,"), "");
    assert_int_equal(ah_test_count_lines(said), 3);
}

static void models_that_do_not_fit_are_refused_whole(void **state)
{
    (void)state;
    const char *model = ah_test_print("%0200d", 1);
    assert_string_equal(parse(ah_test_print("simhsa:%s,simhsa:%s", model, model)),
                        ah_test_print("simhsa(%s*1)", model));
    assert_int_equal(ah_test_count_lines(said), 1);
    assert_string_equal(parse(ah_test_print("simhsa:%0300d,cuda", 1)), "cuda()");
    assert_int_equal(ah_test_count_lines(said), 1);
}

static void more_names_than_there_is_room_for_are_refused(void **state)
{
    (void)state;
    assert_string_equal(parse("a,b,c,d,e,f,g,h,i,a:x,j"), "a(x*1) b() c() d() e() f() g() h()");
    assert_int_equal(ah_test_count_lines(said), 2);
}

static void any_text_at_all_is_survived(void **state)
{
    (void)state;
    static const char letters[] = "a:*,2 \t-x";
    uint64_t seed = 3;
    ah_test_capture();
    for (int round = 0; round < 20000; round++) {
        char text[32] = "";
        size_t length = ah_test_random(&seed) % sizeof text;
        for (size_t i = 0; i + 1 < length; i++)
            text[i] = letters[ah_test_random(&seed) % (sizeof letters - 1)];
        ah_select_parse_backends(text, "x", requests);
    }
    ah_test_captured();
}

/* ---- devices ------------------------------------------------------------ */

enum { COUNT = 5 };

static struct ah_device_identity identities[COUNT] = {
    {.name = "NVIDIA H100", .pci_domain = 0, .pci_bus = 0x3b, .pci_device = 0},
    {.name = "NVIDIA H100", .pci_domain = 1, .pci_bus = 0x3b, .pci_device = 0},
    {.name = "AMD Instinct MI250X", .pci_domain = 0, .pci_bus = 0xc1, .pci_device = 0},
    {.name = "AMD Instinct MI250X", .pci_domain = 0, .pci_bus = 0xc6, .pci_device = 2},
    {.name = "Simulated gfx90a [1]", .pci_domain = -1, .pci_bus = -1, .pci_device = -1},
};
static const struct ah_candidate candidates[COUNT] = {
    {"cuda", 0, &identities[0]}, {"cuda", 1, &identities[1]},   {"hsa", 0, &identities[2]},
    {"hsa", 1, &identities[3]},  {"simhsa", 0, &identities[4]},
};

static int set_up(void **state)
{
    static const unsigned char nvidia[2][16] = {
        {0xde, 0xad, 0xbe, 0xef, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
        {0xde, 0xad, 0xf0, 0x0d, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
    static const char amd[3][17] = {"0123456789abcdef", "f123456789abcdef", "0000000000000000"};
    for (int i = 0; i < 2; i++)
        memcpy(identities[i].uuid.bytes, nvidia[i], 16);
    for (int i = 0; i < 3; i++)
        memcpy(identities[2 + i].uuid.bytes, amd[i], 16);
    return ah_test_set_up(state);
}

static const char *joined(const size_t *chosen, size_t count)
{
    char *text = ah_test_print("%s", "");
    for (size_t i = 0; i < count; i++)
        text = ah_test_print("%s%zu", text, chosen[i]);
    return text;
}

/* The positions that the selectors of a list, separated by "|", choose. */
static const char *choose(const char *list)
{
    char *copy = ah_test_print("%s", list), *selectors[8];
    size_t count = 0, chosen[COUNT];
    for (char *element; copy && *copy && (element = strsep(&copy, "|"));)
        selectors[count++] = element;
    ah_test_capture();
    size_t found = ah_select_devices(candidates, COUNT, selectors, count, chosen);
    said = ah_test_captured();
    return joined(chosen, found);
}

static void no_selectors_choose_all_in_order(void **state)
{
    (void)state;
    assert_string_equal(choose(""), "01234");
}

static void a_number_is_a_position(void **state)
{
    (void)state;
    assert_string_equal(choose("3|0"), "30");
    assert_string_equal(choose("0x2"), "2");
    assert_string_equal(said, "");
}

static void a_driver_is_all_of_its_devices_or_one_by_its_own_number(void **state)
{
    (void)state;
    assert_string_equal(choose("hsa"), "23");
    assert_string_equal(choose("hsa:1|cuda"), "301");
    assert_string_equal(choose("simhsa:0"), "4");
    assert_string_equal(said, "");
    assert_string_equal(choose("hsa:2"), "");
    assert_string_equal(choose("hsax"), "");
    assert_string_equal(choose("hsa:"), "");
    assert_string_equal(choose("hs"), "");
}

static void a_uuid_may_be_shortened_and_ignores_case(void **state)
{
    (void)state;
    assert_string_equal(choose("GPU-deadbeef-0001-0203-0405-060708090a0b"), "0");
    assert_string_equal(choose("GPU-deadf"), "1");
    assert_string_equal(choose("gpu-DEAD"), "01");
    assert_string_equal(choose("GPU-f123456789abcdef"), "3");
    assert_string_equal(choose("GPU-0"), "24");
    assert_string_equal(said, "");
    assert_string_equal(choose("GPU-"), "");
    assert_string_equal(choose("GPU-f123456789abcdef0"), "");
    assert_string_equal(choose("GPU-123"), "");
}

static void a_pci_address_may_lack_its_domain(void **state)
{
    (void)state;
    assert_string_equal(choose("0000:3b:00.0"), "0");
    assert_string_equal(choose("3b:00.0"), "0");
    assert_string_equal(choose("0001:3b:00.0"), "1");
    assert_string_equal(choose("0000:C6:02.0|c1:0.0"), "32");
    assert_string_equal(said, "");
    assert_string_equal(choose("3b:00"), "");
    assert_string_equal(choose("3b:00.0x"), "");
    assert_string_equal(choose("0002:3b:00.0"), "");
}

static void a_name_is_a_shell_pattern(void **state)
{
    (void)state;
    assert_string_equal(choose("name:*MI250X"), "23");
    assert_string_equal(choose("name:NVIDIA H100"), "01");
    assert_string_equal(choose("name:Simulated gfx90? \\[1]"), "4");
    assert_string_equal(choose("name:"), "");
    assert_string_equal(choose("name:h100"), "");
}

static void a_device_chosen_twice_keeps_its_first_place(void **state)
{
    (void)state;
    assert_string_equal(choose("1|cuda|name:*|1"), "10234");
}

static void a_selector_that_matches_nothing_is_named(void **state)
{
    (void)state;
    assert_string_equal(choose("9|cuda:0|rocm|-1"), "0");
    assert_int_equal(ah_test_count_lines(said), 3);
    assert_contains(said, "configuration: no device matches \"9\"; where `devices` names none, "
                          "`anyhip info` lists all");
    assert_contains(said, "\"rocm\"");
    assert_contains(said, "\"-1\"");
}

/* ---- HIP_VISIBLE_DEVICES ------------------------------------------------- */

static const char *show(const char *list)
{
    size_t chosen[COUNT];
    ah_test_capture();
    size_t count = ah_select_visible(candidates, COUNT, "HIP_VISIBLE_DEVICES", list, chosen);
    said = ah_test_captured();
    return joined(chosen, count);
}

static void visible_devices_are_shown_in_the_order_of_the_list(void **state)
{
    (void)state;
    assert_string_equal(show("0"), "0");
    assert_string_equal(show("4,0,2"), "402");
    assert_string_equal(show(" 4 , 0"), "40");
}

static void a_visible_device_named_twice_is_shown_once(void **state)
{
    (void)state;
    assert_string_equal(show("1,1,0,1"), "10");
    assert_string_equal(show("GPU-f1,3,2"), "32");
}

static void the_first_invalid_element_ends_the_list(void **state)
{
    (void)state;
    static const char *const invalid[] = {
        "5", "-1", "x", "", "1x", "GPU-", "GPU-77", "cuda", "9999999999999999999", "3b:00.0"};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        assert_string_equal(show(ah_test_print("2,%s,0", invalid[i])), "2");
        assert_string_equal(show(invalid[i]), "");
    }
}

static void an_invalid_element_is_named_unless_it_is_there_to_show_none(void **state)
{
    (void)state;
    static const char *const mistakes[] = {"abc", "5", "1x", "GPU-77", "3b:00.0"};
    static const char *const purposes[] = {"", "-1", "0,", "0,-1", "NoDevFiles"};
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        show(ah_test_print("2, %s ,0", mistakes[i]));
        assert_int_equal(ah_test_count_lines(said), 1);
        assert_contains(
            said, ah_test_print("HIP_VISIBLE_DEVICES: there is no device \"%s\"", mistakes[i]));
        assert_contains(said,
                        ah_test_print(", so that the list ends before it; devices are numbered "
                                      "from 0 to %d, or named GPU-<uuid>; without "
                                      "HIP_VISIBLE_DEVICES `anyhip info` lists all",
                                      COUNT - 1));
    }
    for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++) {
        show(purposes[i]);
        assert_string_equal(said, "");
    }
}

static void an_empty_list_shows_nothing(void **state)
{
    (void)state;
    assert_string_equal(show(""), "");
    assert_string_equal(show(" "), "");
    assert_string_equal(show(","), "");
}

static void visible_devices_may_be_named_by_uuid(void **state)
{
    (void)state;
    assert_string_equal(show("GPU-f123456789abcdef,GPU-deadf00d"), "31");
    assert_string_equal(show("GPU-dead"), "0");
}

static void nothing_is_shown_of_nothing(void **state)
{
    (void)state;
    size_t chosen[1];
    assert_int_equal(ah_select_visible(NULL, 0, "V", "0,1", chosen), 0);
    assert_int_equal(ah_select_devices(NULL, 0, NULL, 0, chosen), 0);
}

static void uuids_are_written_as_their_vendors_do(void **state)
{
    (void)state;
    char text[48];
    ah_select_format_uuid(&identities[0].uuid, text);
    assert_string_equal(text, "GPU-deadbeef-0001-0203-0405-060708090a0b");
    ah_select_format_uuid(&identities[2].uuid, text);
    assert_string_equal(text, "GPU-0123456789abcdef");
}

static void pci_addresses_are_written_in_full_or_not_at_all(void **state)
{
    (void)state;
    char text[32];
    ah_select_format_pci(&identities[1], text);
    assert_string_equal(text, "0001:3b:00.0");
    ah_select_format_pci(&identities[3], text);
    assert_string_equal(text, "0000:c6:02.0");
    ah_select_format_pci(&identities[4], text);
    assert_string_equal(text, "");
}

#define SELECT_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, ah_test_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SELECT_TEST(a_backend_is_a_name),
        SELECT_TEST(a_model_and_a_count_may_follow),
        SELECT_TEST(elements_of_one_name_are_merged_in_order),
        SELECT_TEST(junk_is_named_and_left_out),
        SELECT_TEST(a_list_of_nothing_asks_for_nothing),
        SELECT_TEST(models_that_do_not_fit_are_refused_whole),
        SELECT_TEST(more_names_than_there_is_room_for_are_refused),
        SELECT_TEST(any_text_at_all_is_survived),
        SELECT_TEST(no_selectors_choose_all_in_order),
        SELECT_TEST(a_number_is_a_position),
        SELECT_TEST(a_driver_is_all_of_its_devices_or_one_by_its_own_number),
        SELECT_TEST(a_uuid_may_be_shortened_and_ignores_case),
        SELECT_TEST(a_pci_address_may_lack_its_domain),
        SELECT_TEST(a_name_is_a_shell_pattern),
        SELECT_TEST(a_device_chosen_twice_keeps_its_first_place),
        SELECT_TEST(a_selector_that_matches_nothing_is_named),
        SELECT_TEST(visible_devices_are_shown_in_the_order_of_the_list),
        SELECT_TEST(a_visible_device_named_twice_is_shown_once),
        SELECT_TEST(the_first_invalid_element_ends_the_list),
        SELECT_TEST(an_invalid_element_is_named_unless_it_is_there_to_show_none),
        SELECT_TEST(an_empty_list_shows_nothing),
        SELECT_TEST(visible_devices_may_be_named_by_uuid),
        SELECT_TEST(nothing_is_shown_of_nothing),
        SELECT_TEST(uuids_are_written_as_their_vendors_do),
        SELECT_TEST(pci_addresses_are_written_in_full_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
