// The base that every room shares: descriptors, whole reads, bytes, names of files.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>

#include "core/base/arithmetic.h"
#include "core/base/byte_reader.h"
#include "core/base/file_io.h"
#include "core/base/hex.h"
#include "core/base/path.h"
#include "core/base/user_ids.h"
#include "core/base/varint.h"

namespace gprofx {
namespace {

bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST_CASE("a descriptor has one owner") {
  UniqueFd first(open("/dev/null", O_RDONLY));
  const int fd = first.get();
  UniqueFd second(std::move(first));
  CHECK_FALSE(first);
  CHECK(IsOpen(fd));
  second = UniqueFd(open("/dev/zero", O_RDONLY));
  CHECK(second);
  CHECK((second.get() == fd || !IsOpen(fd)));
  const int other = second.get();
  second.Reset();
  CHECK_FALSE(IsOpen(other));
}

TEST_CASE("ids of a process are read from whole lines of its status alone") {
  const std::string_view status =
      "Name:\tUid:\t9\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t20 9 \nNStgid:\t1\n";
  const auto ids = IdsInStatus(status);
  REQUIRE(ids);
  CHECK(*ids == ProcessIds{{1, 2, 3, 4}, {5, 6, 7, 8}, {20, 9}});
  CHECK_FALSE(ids->users.AreAll(1));
  CHECK(CredentialIds{7, 7, 7, 7}.AreAll(7));
  CHECK(IdsInStatus("Uid:\t1\t1\t1\t1\nGid:\t1\t1\t1\t1\nGroups:\t \n")->supplementary.empty());
  // Cut off within a number: 20 could have been 2012.
  CHECK(IdsInStatus(status.substr(0, status.find(" 9 ")))->supplementary.empty());
  CHECK_FALSE(IdsInStatus(status.substr(0, status.find("\t8"))));
  CHECK_FALSE(IdsInStatus("Uid:\t1\t2\t3\nGid:\t5\t6\t7\t8\n"));
  CHECK_FALSE(IdsInStatus("Uid:\t1\t2\t3\t-1\nGid:\t5\t6\t7\t8\n"));
  CHECK_FALSE(IdsInStatus("Uid:\t1\t2\t3\t4294967296\nGid:\t5\t6\t7\t8\n"));
  CHECK_FALSE(IdsInStatus("Name:\tUid:\nGid:\t1\n"));
  CHECK_FALSE(IdsInStatus(""));
}

TEST_CASE("files are read up to a limit, and a pipe is not waited for") {
  char folder[] = "/tmp/gprofx-base-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string file = std::string(folder) + "/file", pipe = std::string(folder) + "/pipe";
  {
    const UniqueFd out(open(file.c_str(), O_WRONLY | O_CREAT, 0600));
    const std::string text(10000, 'x');
    REQUIRE(WriteAll(out.get(), text.data(), text.size()));
  }
  CHECK(ReadSmallFile(file)->size() == 4096);
  CHECK(ReadSmallFile(file, 100)->size() == 100);
  CHECK(ReadSmallFile(file, 9000)->size() == 9000);
  CHECK(ReadSmallFile(file, 1 << 20)->size() == 10000);
  CHECK_FALSE(ReadSmallFile(folder));
  CHECK_FALSE(ReadSmallFile(file + ".not"));
  CHECK(ReadRegularFile(file, 9000)->size() == 9000);
  CHECK_FALSE(ReadRegularFile(file + ".not", 1));
  CHECK(errno == ENOENT);
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(ReadSmallFile(pipe) == "");
  for (const std::string& other : {pipe, std::string(folder), std::string("/dev/zero")}) {
    CHECK_FALSE(ReadRegularFile(other, 1));
    CHECK(errno == EINVAL);
  }
  const UniqueFd in(open(file.c_str(), O_RDONLY));
  std::string buffer(20000, ' ');
  CHECK(ReadUpTo(in.get(), buffer.data(), buffer.size()) == 10000);
  unlink(file.c_str());
  unlink(pipe.c_str());
  rmdir(folder);
}

TEST_CASE("bytes come back as they were put, and nothing is read beyond them") {
  std::string bytes;
  PutNumber(bytes, uint16_t{0x1234});
  PutNumber(bytes, int64_t{-5});
  PutText(bytes, std::string_view("a\0b", 3));
  bytes += std::string("name\0", 5) + "\xe5\x8e\x26" + "\x9b\xf1\x59" + "rest";
  ByteReader reader(bytes);
  CHECK(reader.Number<uint16_t>() == 0x1234);
  CHECK(reader.Number<int64_t>() == -5);
  CHECK(reader.SizedText() == std::string_view("a\0b", 3));
  CHECK(reader.Text() == "name");
  CHECK(reader.Uleb() == 624485);
  CHECK(reader.Sleb() == -624485);
  CHECK(reader.rest() == "rest");
  CHECK(reader.ok());
  CHECK(reader.Number<uint64_t>() == 0);  // four bytes are left
  CHECK_FALSE(reader.ok());
  CHECK(reader.at_end());
  CHECK(reader.Text().empty());
  for (size_t size = 0; size < bytes.size() - 4; ++size) {
    ByteReader cut(std::string_view(bytes).substr(0, size));
    cut.Skip(2 + 8);
    cut.SizedText();
    cut.Text();
    cut.Uleb();
    cut.Sleb();
    INFO(size);
    CHECK_FALSE(cut.ok());
  }
  ByteReader huge(std::string_view("\xff\xff\xff\xff!"));
  CHECK(huge.SizedText().empty());
  CHECK_FALSE(huge.ok());
}

TEST_CASE("numbers of a broken file are bounded, times since 1970 are kept") {
  constexpr int64_t kIn2042 = 2'272'147'200'000'000'000;
  CHECK(Bounded(kIn2042) == kIn2042);
  CHECK(Bounded(-kIn2042) == -kIn2042);
  CHECK(Bounded(INT64_MAX) == kMaxMagnitude);
  CHECK(Bounded(INT64_MIN) == -kMaxMagnitude);
}

TEST_CASE("signed numbers in few bytes, and counts of what is there") {
  ByteReader reader(
      std::string_view("\x01\x80\x01\x03"
                       "abc\x02"
                       "d"));
  CHECK(reader.Zigzag() == -1);
  CHECK(reader.Zigzag() == 64);
  CHECK(reader.CountedText() == "abc");
  CHECK(reader.ok());
  CHECK(reader.Count() == 0);  // two, and one byte is left
  CHECK_FALSE(reader.ok());
  CHECK(reader.at_end());
  CHECK(reader.Count() == 0);
  const std::string least = std::string(9, '\xff') + "\x01";
  CHECK(ByteReader(least).Zigzag() == INT64_MIN);
}

TEST_CASE("varints come back as they were put, in the bytes that LEB128 defines") {
  std::string known;
  PutVarint(known, 624485);
  CHECK(known == "\xe5\x8e\x26");
  std::vector<uint64_t> numbers = {0, 1, UINT64_MAX, UINT64_MAX - 1};
  for (int bit = 0; bit < 64; ++bit) {
    for (const uint64_t less : {uint64_t{0}, uint64_t{1}}) {
      numbers.push_back((uint64_t{1} << bit) - less);
    }
  }
  std::vector<std::byte> bytes;
  for (const uint64_t number : numbers) {
    std::string alone;
    PutVarint(alone, number);
    CHECK(alone.size() == VarintSize(number));
    CHECK(alone.size() <= kMaxVarint);
    CHECK(ByteReader(alone).Uleb() == number);
    PutVarint(bytes, number);
  }
  const std::byte* at = bytes.data();
  const std::byte* const end = at + bytes.size();
  for (const uint64_t number : numbers) {
    uint64_t read = 0;
    CHECK(ReadVarint(at, end, read));
    CHECK(read == number);
  }
  CHECK(at == end);
}

TEST_CASE("a varint that is cut off or too long is refused") {
  for (const std::string& bad : {std::string(), std::string("\x80"), std::string(9, '\xff'),
                                 std::string(10, '\x80') + std::string(1, '\0')}) {
    const char* at = bad.data();
    uint64_t read = 0;
    CHECK_FALSE(ReadVarint(at, bad.data() + bad.size(), read));
    CHECK(at <= bad.data() + bad.size());
  }
}

TEST_CASE("zigzag keeps all numbers, and differences of all numbers") {
  constexpr int64_t kNumbers[] = {0, -1, 1, -2, 2, -64, 64, INT64_MIN, INT64_MAX};
  for (uint64_t i = 0; i < 5; ++i) CHECK(ZigZag(kNumbers[i]) == i);
  for (const int64_t a : kNumbers) {
    CHECK(UnZigZag(ZigZag(a)) == a);
    for (const int64_t b : kNumbers) CHECK(AddZigZag(b, ZigZagDifference(a, b)) == a);
  }
}

TEST_CASE("folders and last parts of names, bytes as digits") {
  CHECK(FolderOf("a") == ".");
  CHECK(FolderOf("/a") == "/");
  CHECK(FolderOf("a/b") == "a");
  CHECK(FolderOf("/a/b/") == "/a/b");
  CHECK(BaseName("a") == "a");
  CHECK(BaseName("/a/b.py") == "b.py");
  CHECK(BaseName("a/").empty());
  CHECK(BaseName("").empty());
  CHECK(ToHex(std::as_bytes(std::span("\x00\xaf", 2))) == "00af");
}

}  // namespace
}  // namespace gprofx
