/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/capture/scratch_file.h"
#include "tests/unit/unit.h"

#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void scratch_file_make(char path[SCRATCH_FILE_CHARS])
{
    strcpy(path, "scratch_XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

void scratch_file_capture(const char *path, int link_type, const struct scratch_file_frame *frames,
                          size_t count)
{
    pcap_t *pcap = pcap_open_dead_with_tstamp_precision(link_type, 262144, PCAP_TSTAMP_PRECISION_NANO);
    pcap_dumper_t *dumper = pcap_dump_open(pcap, path);
    assert_non_null(dumper);
    for (size_t i = 0; i < count; i++) {
        struct pcap_pkthdr header = {
            .ts = {frames[i].s, frames[i].ns}, .caplen = frames[i].octets, .len = frames[i].wire_octets};
        pcap_dump((u_char *)dumper, &header, frames[i].bytes);
    }
    pcap_dump_close(dumper);
    pcap_close(pcap);
}

void scratch_file_cut(const char *path, size_t octets)
{
    assert_int_equal(truncate(path, (off_t)octets), 0);
}

size_t scratch_file_octets(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return (size_t)st.st_size;
}
