/* Tests that members of archives are found, and that no damage leads outside of the archive. */
#include "archive.h"
#include "support.h"

#include <string.h>

/* A member: its header and its content, to an even length. */
static char *member(const char *name, const char *content)
{
    size_t length = strlen(content);
    return ah_test_print("%-16s%-12d%-6d%-6d%-8o%-10zu`\n%s%s", name, 0, 0, 0, 0644, length,
                         content, length & 1 ? "\n" : "");
}

static struct ah_archive opened(const char *text)
{
    struct ah_archive archive;
    assert_true(ah_archive_open(&archive, text, strlen(text)));
    return archive;
}

static void assert_member(struct ah_archive *archive, const char *name, const char *content)
{
    struct ah_member found;
    assert_int_equal(ah_archive_next(archive, &found), AH_ARCHIVE_MEMBER);
    assert_string_equal(found.name, name);
    if (!content) {
        assert_null(found.data);
        return;
    }
    assert_int_equal(found.size, strlen(content));
    assert_memory_equal(found.data, content, found.size);
}

static void assert_end(struct ah_archive *archive, enum ah_archive_step expected)
{
    struct ah_member found;
    assert_int_equal(ah_archive_next(archive, &found), expected);
}

static const char *gnu_archive(void)
{
    return ah_test_print(
        "!<arch>\n%s%s%s%s%s", member("/", "symbols"),
        member("//", "a_name_longer_than_sixteen_bytes.o/\nanother_long_name.o/\n"),
        member("short.o/", "one"), member("/0", "three!"), member("/36", "fourteen bytes"));
}

static void members_of_gnu_archives_are_found_by_short_and_long_names(void **state)
{
    (void)state;
    struct ah_archive archive = opened(gnu_archive());
    assert_false(archive.thin);
    assert_member(&archive, "short.o", "one");
    assert_member(&archive, "a_name_longer_than_sixteen_bytes.o", "three!");
    assert_member(&archive, "another_long_name.o", "fourteen bytes");
    assert_end(&archive, AH_ARCHIVE_END);
    assert_end(&archive, AH_ARCHIVE_END);
}

static void members_of_bsd_archives_have_their_names_inside(void **state)
{
    (void)state;
    struct ah_archive archive =
        opened(ah_test_print("!<arch>\n%s%s%s%s", member("#1/20", "__.SYMDEF SORTED\1\1\1\1table"),
                             member("#1/18", "name with blanks.ocontent"), member("plain.o", "x"),
                             member("sixteen_bytes_.o", "y")));
    assert_member(&archive, "name with blanks.o", "content");
    assert_member(&archive, "plain.o", "x");
    assert_member(&archive, "sixteen_bytes_.o", "y");
    assert_end(&archive, AH_ARCHIVE_END);
}

static void members_of_thin_archives_are_names_alone(void **state)
{
    (void)state;
    const char *names = member("//", "sub/dir/one.o/\ntwo.o/\n");
    /* The headers say how large the files are, but nothing of them follows. */
    const char *one = ah_test_print("%.60s", member("/0", "0123456789"));
    const char *two = ah_test_print("%.60s", member("/15", "0123456789"));
    struct ah_archive archive =
        opened(ah_test_print("!<thin>\n%s%s%s%s", member("/", "sym"), names, one, two));
    assert_true(archive.thin);
    assert_member(&archive, "sub/dir/one.o", NULL);
    assert_member(&archive, "two.o", NULL);
    assert_end(&archive, AH_ARCHIVE_END);
}

static void an_empty_archive_has_no_members(void **state)
{
    (void)state;
    struct ah_archive archive = opened("!<arch>\n");
    assert_end(&archive, AH_ARCHIVE_END);
    assert_false(ah_archive_open(&archive, "!<arch>", 7));
    assert_false(ah_archive_open(&archive, "!<arch>x", 8));
    assert_false(ah_archive_open(&archive, "", 0));
}

static void damaged_headers_are_told(void **state)
{
    (void)state;
    const char *const damaged[] = {
        "x",
        ah_test_print("%.59s", member("a.o/", "")),
        ah_test_print("%.58sxx", member("a.o/", "")),
        ah_test_print("%-16s%-32s%-10s`\n", "a.o/", "0", "none"),
        ah_test_print("%-16s%-32s%-10s`\n", "a.o/", "0", "-1"),
        ah_test_print("%-16s%-32s%-10s`\n", "a.o/", "0", "1"),
        ah_test_print("%-16s%-32s%-10s`\nx", "a.o/", "0", "1x"),
        ah_test_print("%-16s%-32s%-10s`\n", "a.o/", "0", "9999999999"),
        member("/17", "no table of names"),
        member("/x", "no number"),
        ah_test_print("%s%s", member("//", "a.o/\n"), member("/5", "outside of the names")),
        member("#1/99", "a name longer than the member"),
        member("#1/x", "no number"),
        ah_test_print("%s%s", member("//", ah_test_print("%0600d", 1)), member("/0", "too long")),
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        struct ah_archive archive = opened(ah_test_print("!<arch>\n%s", damaged[i]));
        assert_end(&archive, AH_ARCHIVE_DAMAGED);
    }
}

static void a_number_may_fill_its_field(void **state)
{
    (void)state;
    struct ah_archive archive =
        opened(ah_test_print("!<arch>\n%-16s%-32s%-10s`\nab", "a.o/", "0", "0000000002"));
    assert_member(&archive, "a.o", "ab");
    assert_end(&archive, AH_ARCHIVE_END);
}

static size_t read_all(const void *data, size_t size)
{
    struct ah_archive archive;
    struct ah_member found;
    size_t total = 0;
    if (!ah_archive_open(&archive, data, size))
        return 0;
    while (ah_archive_next(&archive, &found) == AH_ARCHIVE_MEMBER) {
        total += strlen(found.name);
        for (size_t i = 0; found.data && i < found.size; i++)
            total += ((const unsigned char *)found.data)[i];
    }
    return total;
}

static void every_truncation_and_changed_byte_is_survived(void **state)
{
    (void)state;
    const char *text = gnu_archive();
    size_t whole = strlen(text);
    for (size_t size = 1; size < whole; size++) {
        void *guarded = ah_test_guard(text, size);
        read_all(guarded, size);
        ah_test_unguard(guarded, size);
    }
    char *data = ah_test_guard(text, whole);
    for (size_t at = 0; at < whole; at++) {
        for (int value = 0; value < 256; value++) {
            data[at] = (char)value;
            read_all(data, whole);
        }
        data[at] = text[at];
    }
    ah_test_unguard(data, whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(members_of_gnu_archives_are_found_by_short_and_long_names),
        AH_TEST(members_of_bsd_archives_have_their_names_inside),
        AH_TEST(members_of_thin_archives_are_names_alone),
        AH_TEST(an_empty_archive_has_no_members),
        AH_TEST(damaged_headers_are_told),
        AH_TEST(a_number_may_fill_its_field),
        AH_TEST(every_truncation_and_changed_byte_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
