"""The catalogue of bad inputs: where each one is tested, or in a line why it can't be, or why its outcome is ours."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parent
OURS = ("bad_lines", "bad_zstd", "bad_databases", "bad_files")
"""Files that are here for the catalogue: each test of theirs stands in it."""


@dataclass(frozen=True)
class Case:
    """One bad input."""

    what: str
    tests: tuple[str, ...]
    why: str


def case(what: str, *tests: str, why: str = "") -> Case:
    """`tests` are names of files and of tests in them, each without its `test_`."""
    return Case(what, tests, why)


LINES = {
    1: case(
        "the last line is still being written",
        "bad_lines::a_last_line_that_is_still_being_written_waits_and_is_read_once_it_ends",
        "base::a_torn_last_line_waits",
        "reconcile::a_torn_last_line_waits",
    ),
    2: case(
        "the last line is whole but for its newline",
        "bad_lines::a_whole_last_line_without_its_newline_is_read_and_not_twice",
        "base::a_whole_last_line_without_its_newline_is_read_once",
        why="nothing can be added to a whole object, so it need not wait for minutes",
    ),
    3: case("nothing, or blank lines", "bad_lines::empty_files_and_blank_lines_are_nothing_and_no_skip"),
    4: case(
        "line ends of Windows and of old Macs",
        "bad_lines::other_line_ends_are_line_ends",
        why="objects that lone carriage returns part are read too, which is more than was asked",
    ),
    5: case("a byte order mark", "bad_lines::a_byte_order_mark_costs_nothing"),
    6: case("UTF-16 and UTF-32", "bad_lines::a_file_of_utf_16_or_32_is_set_aside_as_such"),
    7: case("bytes that are no UTF-8", "bad_lines::bytes_that_are_no_text_are_replaced_and_counted"),
    8: case(
        "overlong characters, surrogates as bytes",
        "bad_lines::overlong_characters_and_surrogates_as_bytes_are_replaced_and_counted",
    ),
    9: case("half a surrogate pair", "bad_lines::half_a_pair_of_surrogates_is_replaced_and_aborts_nothing"),
    10: case("zeros in a text", "bad_lines::a_zero_in_a_text_hides_nothing_behind_it"),
    11: case("bare control characters in a string", "bad_lines::control_characters_inside_a_string_cost_nothing"),
    12: case(
        "a line of a hundred megabytes",
        "bad_lines::a_line_that_is_too_long_is_counted_and_the_next_is_read",
        "base::a_very_long_line_takes_little_memory",
    ),
    13: case("such a line that still grows", "bad_lines::a_line_that_is_too_long_and_still_grows_is_not_read_again"),
    14: case("very many tiny lines", "bad_lines::a_hundred_thousand_tiny_lines_are_taken_in_batches"),
    15: case(
        "runs of zeros after a power failure",
        "bad_lines::runs_of_zero_bytes_are_passed_over_and_those_at_the_end_wait",
        why="they are passed over like blanks and not counted: nothing stood there",
    ),
    16: case("two records on a line, one perhaps in part", "bad_lines::two_records_on_one_line_are_both_read"),
    17: case(
        "a torn line with the next one glued on",
        "bad_lines::a_line_that_was_interrupted_costs_itself_and_what_is_glued_to_it",
    ),
    18: case(
        "a program or a picture by name of a session",
        "bad_lines::a_program_or_a_picture_named_like_a_session_is_set_aside",
    ),
    19: case("a packed file", "bad_lines::a_packed_file_named_like_a_session_is_set_aside_as_such"),
    20: case("a page of HTML", "bad_lines::a_page_of_html_saved_as_a_session_is_set_aside"),
    21: case(
        "half a gigabyte of markdown",
        "memory_files::what_is_no_text_or_too_much_is_set_aside",
        why="with some megabytes: no more than four of a file are ever taken into memory",
    ),
    22: case(
        "markdown of a million headings",
        "memory_files::a_million_headings_and_a_million_lines_are_few_chunks",
        "memory_files::of_a_file_with_too_many_sections_the_rest_is_counted",
    ),
    23: case(
        "a line in another encoding",
        "bad_lines::a_line_in_another_encoding_is_replaced_and_counted_and_no_encoding_is_guessed",
    ),
    24: case(
        "a picture within a message",
        "bad_lines::the_words_beside_a_picture_are_read_and_the_picture_is_not",
        why="pictures are not counted as left out: nobody expects their bytes among the words",
    ),
    25: case("a text of many megabytes", "bad_lines::a_text_of_millions_of_characters_is_cut_and_counted"),
}

SHAPES = {
    26: case("lists in lists without end", "bad_lines::nesting_without_end_costs_its_line_or_its_message"),
    27: case("objects in objects without end", "bad_lines::nesting_without_end_costs_its_line_or_its_message"),
    28: case("a number of 5,000 digits", "bad_lines::a_number_of_thousands_of_digits_costs_its_line_at_most"),
    29: case("NaN, infinities", "bad_lines::a_number_that_json_has_no_word_for_costs_its_field_alone"),
    30: case("a key twice", "bad_lines::of_a_key_that_is_there_twice_the_last_counts"),
    31: case("lines that are no objects", "bad_lines::values_that_are_no_records_are_counted"),
    32: case("content of any shape", "bad_lines::content_of_any_shape_is_read_or_counted"),
    33: case(
        "roles that nobody knows",
        "bad_lines::who_speaks_is_one_of_two_or_nobody",
        why="the index knows two roles; what no person and no assistant said is no turn",
    ),
    34: case(
        "times in any unit, or senseless ones",
        "bad_lines::a_message_with_a_time_that_makes_no_sense_is_there_without_one",
        "bad_lines::times_in_every_unit_are_one_time",
        "base::a_time_is_read_or_left_out",
    ),
    35: case(
        "hostile session ids",
        "bad_lines::a_hostile_session_id_is_harmless_and_its_words_are_found",
        "bad_lines::one_id_in_two_files_is_one_session_and_its_copies_count_once",
    ),
    36: case(
        "a session in two files, a fork",
        "bad_lines::one_id_in_two_files_is_one_session_and_its_copies_count_once",
        "bad_lines::a_fork_repeats_what_it_copied_as_one_hit",
        "reconcile::a_copied_file_adds_nothing_and_stands_in_when_the_first_is_forgotten",
    ),
    37: case(
        "a log that repeats the whole history at every request",
        "zcode::a_log_of_many_overlapping_windows_holds_each_message_once",
        "zcode::memory_is_taken_by_messages_not_by_how_often_they_were_sent",
        "search::copies_by_the_stores_own_id_collapse_to_the_senior",
    ),
    38: case(
        "kinds of records that are new",
        "bad_lines::unknown_kinds_of_records_are_counted_and_never_set_a_file_aside",
        "claude::each_unknown_type_is_counted_once_in_a_pass",
    ),
    39: case("the system prompt in a head", "bad_lines::instructions_in_the_head_of_a_session_are_not_read"),
    40: case("thoughts, signatures", "bad_lines::thoughts_and_signatures_are_not_read"),
    41: case(
        "messages that are each other's parents",
        "bad_lines::messages_that_name_each_other_as_parents_are_all_there",
        "branch::every_turn_gets_an_answer_and_a_lost_parent_loses_no_text",
    ),
    42: case(
        "a session of a million messages, one of none",
        "bad_lines::a_session_of_very_many_messages_is_read_a_page_at_a_time",
        why="with 5,000 messages: what is read is a page, however many there are",
    ),
    43: case(
        "markup in a title",
        "bad_lines::markup_in_a_title_stays_text",
        "rows::markup_in_what_people_wrote_stays_text",
    ),
    44: case("backslashes", "bad_lines::backslashes_of_windows_stay_as_they_are"),
    45: case(
        "a million keys in one object",
        "bad_lines::a_record_of_hundreds_of_thousands_of_keys_costs_no_more_than_its_bytes",
    ),
}

PACKED = {
    46: case(
        "a bomb, and what only packs well",
        "bad_zstd::half_a_gigabyte_of_zeros_is_set_aside_in_little_memory",
        "bad_zstd::much_text_that_packs_well_is_no_bomb",
    ),
    47: case("a huge window", "bad_zstd::a_frame_that_wants_a_huge_window_is_set_aside"),
    48: case(
        "a frame that is still being written",
        "bad_zstd::a_frame_that_is_still_being_written_gives_its_whole_lines_and_is_read_again",
        why="a packed file that changes is read from its beginning, so no place in it is kept",
    ),
    49: case("a bit that flipped", "bad_zstd::a_bit_that_flipped_costs_what_it_hit_and_nothing_raises"),
    50: case("several frames", "bad_zstd::a_packed_session_of_several_frames_is_read_whole"),
    51: case("a skippable frame", "bad_zstd::a_skippable_frame_between_frames_is_skipped"),
    52: case(
        "rubbish behind the last frame",
        "bad_zstd::what_stands_before_rubbish_is_indexed_and_the_rubbish_is_counted",
        why="counted as a skip: a quarantine would say that nothing could be read",
    ),
    53: case(
        "a dictionary that is not here",
        "bad_zstd::a_frame_packed_with_a_dictionary_that_is_not_here_is_set_aside",
        why="set aside as a damaged zstd file: there is nothing else that could be done about it",
    ),
    54: case("plain text or nothing", "bad_zstd::plain_lines_and_nothing_at_all_under_a_packed_name_are_read"),
    55: case("a size of an exabyte", "bad_zstd::a_frame_that_claims_to_unpack_to_an_exabyte_takes_no_memory"),
    56: case("frames joined into one", "bad_zstd::frames_that_were_joined_into_one_are_read_again"),
}

DATABASES = {
    57: case(
        "a program that is running",
        "foreign_sqlite::a_running_program_is_read_with_its_latest_rows_and_without_a_trace",
        "foreign_sqlite::every_state_that_is_read_beside_a_writer_passes_the_check",
    ),
    58: case(
        "a program that was closed",
        "foreign_sqlite::a_closed_store_is_read_without_a_trace_even_of_access",
        "foreign_sqlite::what_was_read_while_somebody_wrote_is_read_again",
    ),
    59: case(
        "a program that was killed",
        "foreign_sqlite::a_killed_program_left_only_its_wal",
        "foreign_sqlite::a_killed_program_left_both_files",
        "bad_databases::what_a_killed_agent_left_in_its_log_is_found_and_nothing_appears_beside_it",
    ),
    60: case("a folder that can't be written", "foreign_sqlite::a_folder_that_cannot_be_written"),
    61: case(
        "a big store in use",
        "foreign_sqlite::a_scan_finds_every_key_once",
        "foreign_sqlite::what_is_read_beside_a_writer_is_whole",
        why="a store in use is read in place, page by page, whatever its size; only a dead program's is copied",
    ),
    62: case(
        "a program that locks others out",
        "foreign_sqlite::a_store_that_its_owner_locks_is_busy",
        "bad_databases::a_database_that_its_agent_locks_is_busy_and_what_was_read_of_it_stays",
        "places::what_its_agent_holds_is_tried_again_at_the_end_of_the_pass",
    ),
    63: case("a reader that holds up its owner", "foreign_sqlite::a_pause_between_pages_keeps_no_checkpoint_waiting"),
    64: case(
        "damage, encryption, no database",
        "foreign_sqlite::any_page_may_be_damaged",
        "foreign_sqlite::what_is_no_database_or_encrypted",
        "foreign_sqlite::damage_is_named",
        "bad_databases::a_damaged_database_costs_itself_and_what_was_read_of_it_stays",
    ),
    65: case(
        "a table or column that is not there",
        "foreign_sqlite::what_a_store_lacks_is_named",
        "bad_databases::a_column_of_another_name_sets_the_database_aside_until_somebody_knows_it",
    ),
    66: case(
        "a schema that does things",
        "foreign_sqlite::nothing_but_reading_is_allowed",
        "foreign_sqlite::a_forged_schema_is_refused",
        "foreign_sqlite::triggers_do_nothing",
    ),
    67: case(
        "a cell of a gigabyte",
        "foreign_sqlite::a_huge_cell_costs_its_own_row_only",
        "bad_databases::a_cell_that_is_no_text_or_far_too_large_costs_its_message",
        why="of twenty megabytes through the whole engine, which is more than is read of one as well",
    ),
    68: case("a text that is no text", "foreign_sqlite::foreign_bytes_in_a_text_are_replaced"),
    69: case(
        "another type in a column",
        "foreign_sqlite::cells_come_as_they_are",
        "bad_databases::a_cell_that_is_no_text_or_far_too_large_costs_its_message",
    ),
    70: case(
        "rows that change and go",
        "foreign_sqlite::a_token_changes_with_the_store_only",
        "places::only_the_session_that_changed_is_read_again",
        "bad_databases::rows_that_change_and_go_are_followed_session_by_session",
    ),
    71: case("a store that is replaced", "foreign_sqlite::a_store_that_was_replaced_meanwhile_is_read_again"),
    72: case(
        "a store on a network drive",
        "places::a_database_on_a_network_drive_is_set_aside",
        why="set aside, not copied: whoever writes it there can't be seen from here, so no copy is known to be whole",
    ),
}

FILES = {
    73: case(
        "pipes",
        "bad_files::pipes_and_sockets_are_counted_without_waiting_for_them",
        "base::a_pipe_is_refused_without_waiting",
    ),
    74: case(
        "sockets, devices behind links",
        "bad_files::pipes_and_sockets_are_counted_without_waiting_for_them",
        "bad_files::links_to_devices_to_files_outside_and_to_themselves_are_not_followed",
    ),
    75: case(
        "links in a ring",
        "bad_files::links_to_devices_to_files_outside_and_to_themselves_are_not_followed",
        "excluding::a_loop_of_links_costs_only_itself",
    ),
    76: case("a folder linked into itself", "bad_files::a_folder_linked_into_itself_is_walked_once"),
    77: case(
        "a link out of the store",
        "bad_files::links_to_devices_to_files_outside_and_to_themselves_are_not_followed",
        "excluding::a_link_that_leads_out_of_the_source_is_not_followed_but_counted",
    ),
    78: case("a hard link to a key", "excluding::a_hard_link_to_a_key_gives_nothing_to_find"),
    79: case(
        "what may not be read",
        "bad_files::a_file_that_loses_its_permission_keeps_its_rows_and_is_tried_again",
        "reconcile::what_lies_in_an_unreadable_folder_is_not_gone",
    ),
    80: case(
        "what goes between two looks",
        "reconcile::a_file_that_vanishes_while_it_is_read_is_nothing",
        "bad_files::a_file_that_loses_its_permission_keeps_its_rows_and_is_tried_again",
    ),
    81: case(
        "a root that is gone or empty",
        "bad_files::a_root_that_is_gone_or_empty_keeps_everything",
        "reconcile::an_empty_root_is_never_taken_for_deletion",
    ),
    82: case(
        "a file that is gone",
        "reconcile::a_vanished_file_is_kept_and_comes_back",
        "reconcile::forgetting_drops_what_vanished_with_all_its_words",
        why="its text is kept, as agents sweep their own old files, unless the person wants it forgotten",
    ),
    83: case(
        "most files gone at once",
        "held::more_than_half_gone_at_once_is_neither_marked_nor_forgotten_but_asked_about",
        "held::what_comes_back_takes_the_question_back",
        "held::when_the_person_agrees_they_are_gone",
        "held::new_files_are_no_answer",
        why="kept until the person answers, not for a day",
    ),
    84: case("a file cut short", "reconcile::a_shortened_file_is_read_again"),
    85: case(
        "copied away, emptied, grown beyond its size",
        "reconcile::a_file_copied_away_emptied_and_grown_beyond_its_size_is_read_again",
    ),
    86: case("replaced by itself and more", "reconcile::a_file_replaced_by_itself_and_more_is_read_on"),
    87: case(
        "replaced with an edit in the middle",
        "reconcile::a_file_replaced_with_an_edit_in_the_middle_is_read_again",
        "fingerprint::a_copy_in_place_of_the_file_is_compared_byte_by_byte",
    ),
    88: case(
        "an edit that no cheap look can see",
        "fingerprint::an_edit_in_the_middle_of_the_same_file_is_the_limit_of_the_cheap_look",
        "verify::an_unseen_edit_in_the_middle_is_found_and_read_again",
    ),
    89: case(
        "lines added without a change of time",
        "bad_files::lines_are_found_that_were_added_without_a_change_of_time",
        "verify::a_file_whose_time_went_back_is_compared_byte_by_byte",
    ),
    90: case(
        "times long ago and far ahead, a clock set back",
        "bad_files::a_file_of_any_time_is_read_once_and_again_when_it_changes",
        "bad_files::a_clock_that_was_set_back_hides_nothing",
    ),
    91: case(
        "an inode that is used again",
        "bad_files::another_file_under_the_same_name_is_read_anew_even_if_its_inode_is_used_again",
        "verify::a_file_that_took_the_place_of_another_is_compared_byte_by_byte_whatever_its_inode",
        "fingerprint::the_huge_numbers_of_some_file_systems_fit_into_the_index",
    ),
    92: case("names that look alike", "bad_files::names_that_look_alike_are_two_files"),
    93: case(
        "names that are no text",
        "bad_files::a_name_that_is_no_text_costs_nothing",
        "reconcile::names_that_are_no_text_are_taken",
    ),
    94: case(
        "names with escapes and markup",
        "bad_files::a_hostile_name_is_shown_harmless",
        "skipped::a_name_that_is_no_text_and_one_with_escapes_are_harmless",
    ),
    95: case(
        "a path that is too long",
        "bad_files::a_path_longer_than_the_system_takes_is_reported_and_costs_nothing_else",
    ),
    96: case(
        "a million files in a folder",
        "bad_files::a_folder_of_very_many_files_is_listed_as_it_is_read",
        why="with 2,000 files: the listing is streamed, and what is kept of an unchanged file is its stamp",
    ),
    97: case(
        "a file that claims a terabyte",
        "bad_files::a_file_that_claims_a_terabyte_is_given_up_after_a_bounded_part",
    ),
    98: case(
        "a disk that fails",
        "bad_files::a_disk_that_fails_keeps_the_rows_and_is_tried_again",
        "faults::whatever_is_killed_fails_is_full_or_many_nothing_is_lost_or_wrong",
    ),
    99: case("a file that its writer locks", why="Windows only; such an error is an OSError and tried again, as in 98"),
    100: case(
        "a file in the cloud",
        "bad_files::a_file_that_is_only_in_the_cloud_is_not_fetched_and_what_was_read_of_it_stays",
    ),
    101: case(
        "files of keys and passwords",
        "exclude::what_holds_keys_is_on_the_list",
        "exclude::what_only_sounds_like_it_is_not",
        "excluding::files_of_keys_and_passwords_are_never_opened",
    ),
    102: case("an unticked store inside a ticked one", "excluding::a_store_inside_a_ticked_one_is_not_read_through_it"),
    103: case("a tick that was taken back", "reconcile::unticking_purges", "store::a_purge_leaves_no_byte_of_the_text"),
}

INDEX = {
    104: case(
        "kill -9 at any point",
        "store::killed_at_any_point_the_index_is_whole_and_goes_on",
        "faults::whatever_is_killed_fails_is_full_or_many_nothing_is_lost_or_wrong",
    ),
    105: case("a full disk", "faults::whatever_is_killed_fails_is_full_or_many_nothing_is_lost_or_wrong"),
    106: case(
        "a full disk while forgetting",
        "forget::everything_is_forgotten_on_a_full_disk",
        "forget::without_any_room_nothing_is_half_forgotten",
    ),
    107: case(
        "a limit to the size of files",
        "store::a_full_disk_stops_indexing_and_nothing_else",
        "faults::whatever_is_killed_fails_is_full_or_many_nothing_is_lost_or_wrong",
    ),
    108: case("a disk that fails once", "damage::a_suspicion_that_comes_to_nothing_changes_nothing"),
    109: case(
        "real damage",
        "damage::what_only_the_index_holds_is_saved_and_the_rest_is_read_again",
        "damage::each_page_in_turn_may_be_damaged",
        "damage::what_is_purged_does_not_live_on_in_the_damaged_file",
    ),
    110: case(
        "a full text that lost its rows",
        "damage::damage_to_the_full_text_alone_is_found_when_somebody_looks",
        why="the index is built anew as a whole, which takes the full text along",
    ),
    111: case("an index of a newer harkback", "store::an_index_of_a_newer_harkback_is_left_alone"),
    112: case("a migration cut short", "migrate::killed_in_the_middle_of_a_step_it_is_made_again"),
    113: case(
        "several writers",
        "faults::whatever_is_killed_fails_is_full_or_many_nothing_is_lost_or_wrong",
        "lock::writers_in_a_crowd_never_meet",
        "store::one_writes_and_the_second_is_told",
    ),
    114: case("a lock file left behind", "store::a_lock_file_left_behind_locks_nothing"),
    115: case(
        "an index on a network drive",
        "trust_cli::a_network_drive_is_known_by_its_mount",
        "trust_cli::doctor_finds_what_is_wrong_with_the_index",
        why="doctor says so and what to do; a network drive can't be made in a test",
    ),
    116: case(
        "an SQLite that can lose what is in its log",
        "trust_cli::doctor_finds_nothing_wrong_where_nothing_is",
        "store::readers_cannot_write",
    ),
    117: case(
        "files that others may read",
        "store::the_index_is_the_owners_alone_from_the_first_moment",
        "trust_cli::doctor_finds_files_that_others_may_read",
    ),
    118: case(
        "an index behind a link",
        "forget::an_index_that_lies_elsewhere_behind_a_link_stays_there",
        "store::the_index_is_the_owners_alone_from_the_first_moment",
        why="a person may keep it elsewhere; nobody else can make a link in a folder of mode 0700",
    ),
    119: case(
        "words that live on in deleted rows",
        "forget::a_forgotten_session_leaves_no_byte",
        "forget::the_scan_finds_what_a_plain_delete_leaves",
    ),
    120: case(
        "forgetting while another reads",
        "forget::a_reader_goes_on_while_its_index_is_replaced",
        "forget::another_writer_is_waited_for",
    ),
    121: case("forgotten, but still on the disk", "forget::it_stays_away_however_its_file_is_read_again"),
    122: case(
        "newer rules for secrets",
        "redact_again::a_reader_sees_nothing_of_older_rules_even_before_anybody_writes",
        "redact_again::an_examination_tells_what_is_hidden",
        "reconcile::other_rules_for_text_reach_what_can_no_longer_be_read",
    ),
}

CATALOGUE = LINES | SHAPES | PACKED | DATABASES | FILES | INDEX


def names() -> set[str]:
    """Every test there is, as the catalogue names them."""
    found: set[str] = set()
    for path in TESTS.glob("test_*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                found.add(f"{path.stem.removeprefix('test_')}::{node.name.removeprefix('test_')}")
    return found


def test_every_case_is_a_test_that_there_is_or_says_why_not() -> None:
    assert list(CATALOGUE) == list(range(1, 123))
    there = names()
    for number, each in CATALOGUE.items():
        assert each.what, number
        assert each.tests or each.why, number
        assert set(each.tests) <= there, number
        assert each.why == each.why.strip(), number
        assert "\n" not in each.why, number


def test_every_test_that_is_here_for_the_catalogue_stands_in_it() -> None:
    named = {test for each in CATALOGUE.values() for test in each.tests}
    assert {name for name in names() if name.startswith(OURS)} <= named
