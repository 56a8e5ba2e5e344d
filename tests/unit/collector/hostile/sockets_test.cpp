// What a hostile process of a recording sends to the recorder's socket. Each test is an attack that
// worked once.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/collector/hostile/bench.h"

namespace gprofx {
namespace {

using test::Bench;
using test::FakeAgent;
using test::NewSession;
using test::OpenDescriptors;
using test::OpenPerfEvent;
using test::PartsOf;
using test::Play;
using test::SendWith;
using test::Turns;
using test::Wait;

TEST_CASE("Messages without the secret are dropped at the sender") {
  Bench bench;
  const std::string name = PartsOf(bench.session.EnvironmentValue())[1];
  const UniqueFd null(open("/dev/null", O_RDONLY));
  const size_t before = OpenDescriptors();
  wire::PerfEventMessage message{};
  const uint64_t token = bench.session.memory(0).token();
  for (int i = 0; i < 3000; ++i) {
    message.secret = static_cast<uint64_t>(i) << 32 | static_cast<uint64_t>(i);
    message.token = token;
    // A queue that took them would be full after ten.
    REQUIRE(SendWith(name, message, {null.get(), null.get()}));
  }
  bench.parts.perf_events.Receive();
  CHECK(bench.parts.perf_events.refused() == 0);
  CHECK(OpenDescriptors() == before);
}

TEST_CASE("What the socket is called says nothing of secret and token") {
  // The name was once the token times this.
  const Session session = NewSession();
  const std::string name = PartsOf(session.EnvironmentValue())[1];
  const uint64_t shown = std::stoull(name.substr(name.rfind('-') + 1), nullptr, 16);
  constexpr uint64_t kInverse = 0xf1de83e19937733d;  // of 0x9e3779b97f4a7c15, modulo 2^64
  static_assert(kInverse * 0x9e3779b97f4a7c15 == 1);
  CHECK(shown * kInverse != session.memory(0).token());
  CHECK(shown != session.secret());
}

TEST_CASE(
    "Descriptors that are no perf events are not kept, and their sender is not believed again") {
  Bench bench;
  const size_t before = OpenDescriptors();
  const pid_t pid = Play(bench.session, [](FakeAgent& agent) {
    const int null = open("/dev/null", O_RDONLY);
    for (uint32_t slot = 0; slot < 8; ++slot) {
      const std::vector<int> many(30, null);
      if (!agent.Send(agent.Message(slot, 1), many)) _exit(7);
    }
    const int event = OpenPerfEvent();
    if (event >= 0 && !agent.Send(agent.Message(9, 1), {event})) _exit(7);
  });
  Wait(pid);
  bench.parts.perf_events.Receive();
  CHECK(bench.parts.perf_events.size() == 0);
  CHECK(bench.parts.perf_events.refused() >= PerfEvents::kMaxStrange);
  CHECK(bench.session.socket() >= 0);  // others are answered still
  for (int i = 0; i < 2000 && OpenDescriptors() > before; ++i) usleep(10'000);
  CHECK(OpenDescriptors() <= before);
}

// A connection whose last descriptor blocks for a minute when it is closed.
int LingeringSocket() {
  const UniqueFd listener(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  if (bind(listener.get(), reinterpret_cast<sockaddr*>(&address), bytes) != 0 ||
      listen(listener.get(), 1) != 0 ||
      getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &bytes) != 0) {
    return -1;
  }
  const int out = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(out, reinterpret_cast<sockaddr*>(&address), bytes) != 0) return -1;
  // The other end stays in the queue and reads nothing.
  const linger wait{1, 60};
  setsockopt(out, SOL_SOCKET, SO_LINGER, &wait, sizeof wait);
  fcntl(out, F_SETFL, O_NONBLOCK);
  const std::vector<char> data(1 << 20);
  while (write(out, data.data(), data.size()) > 0) {
  }
  fcntl(out, F_SETFL, 0);
  return dup(listener.get()) < 0 ? -1 : out;  // the listener lives as long as the process
}

TEST_CASE("A socket that blocks when it is closed does not block the recorder") {
  Bench bench;
  const Turns turns;
  const pid_t pid = Play(bench.session, [&](FakeAgent& agent) {
    const int out = LingeringSocket();
    if (out < 0) _exit(8);
    if (!agent.Send(agent.Message(0, 1), {out})) _exit(7);
    close(out);  // ours is the last one that is not in the message
    turns.ChildIsReady();
  });
  turns.WaitForChild();
  const auto began = std::chrono::steady_clock::now();
  bench.parts.perf_events.Receive();
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));  // closing takes 60
  CHECK(bench.parts.perf_events.refused() == 1);
  turns.LetChildGoOn();
  Wait(pid);
}

TEST_CASE("A perf event belongs to the process of its region") {
  if (!UniqueFd(OpenPerfEvent())) return;
  Bench bench;
  const Turns turns;
  const pid_t pid = Play(bench.session, [&](FakeAgent& agent) {
    agent.Ready();
    const UniqueFd event(OpenPerfEvent());
    if (!agent.Send(agent.Message(0, 1), {event.get()})) _exit(7);
    const pid_t other = fork();
    if (other == 0) {  // knows all that its parent knows
      for (uint32_t slot = 1; slot < 5; ++slot) {
        if (!agent.Send(agent.Message(slot, 1), {event.get()})) _exit(7);
      }
      _exit(0);
    }
    waitpid(other, nullptr, 0);
    turns.ChildIsReady();
  });
  turns.WaitForChild();
  bench.table.Poll(bench.rows);
  CHECK(bench.parts.perf_events.size() == 1);
  CHECK(bench.parts.perf_events.refused() == 4);
  turns.LetChildGoOn();
  Wait(pid);
}

TEST_CASE("Answers that nobody takes keep nobody else from joining") {
  Bench bench;
  const std::string name = PartsOf(bench.session.EnvironmentValue())[1];
  const wire::JoinRequest request{bench.session.secret(), 0};
  std::vector<UniqueFd> greedy;
  const auto ask = [&](int socket) {
    test::Address to(name);
    return sendto(socket, &request, sizeof request, MSG_DONTWAIT,
                  reinterpret_cast<sockaddr*>(&to.address), to.bytes) == sizeof request;
  };
  const auto new_socket = [] {
    UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0));
    sockaddr_un own{};
    own.sun_family = AF_UNIX;
    REQUIRE(bind(socket.get(), reinterpret_cast<sockaddr*>(&own), sizeof own.sun_family) == 0);
    return socket;
  };
  for (int i = 0; i < 60; ++i) {
    greedy.push_back(new_socket());
    for (int k = 0; k < 10; ++k) {
      ask(greedy.back().get());
      bench.parts.perf_events.Receive();
    }
  }
  const UniqueFd honest = new_socket();
  REQUIRE(ask(honest.get()));
  bench.parts.perf_events.Receive();
  wire::JoinReply reply{};
  CHECK(recv(honest.get(), &reply, sizeof reply, MSG_DONTWAIT) == sizeof reply);
  CHECK(reply.secret == bench.session.secret());
}

}  // namespace
}  // namespace gprofx
