#include "formats/importers/gather/span_store.h"

#include <algorithm>
#include <utility>

namespace gprofx::importers {
namespace {

constexpr size_t kSpansOfPiece = 1024;

// Bits that say which fields of a packed span differ from their defaults.
enum Field : uint8_t {
  kCorrelation = 1,
  kSequence = 2,
  kForwardThread = 4,
  kWork = 8,
  kBackward = 16,
  kRange = 32
};

void Put(uint64_t value, std::vector<uint8_t>& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value));
}

uint64_t Get(const uint8_t*& at) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const uint8_t byte = *at++;
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
}

// Returns the difference of two numbers, modulo 2^64 and zigzag-mapped. It is small if the numbers
// are close.
uint64_t Difference(int64_t value, int64_t before) {
  const uint64_t wrapped = static_cast<uint64_t>(value) - static_cast<uint64_t>(before);
  return (wrapped << 1) ^ (0 - (wrapped >> 63));
}

int64_t Add(int64_t before, uint64_t difference) {
  const uint64_t wrapped = (difference >> 1) ^ (0 - (difference & 1));
  return static_cast<int64_t>(static_cast<uint64_t>(before) + wrapped);
}

uint8_t FieldsOf(const HostSpan& span) {
  return static_cast<uint8_t>(
      (span.correlation != 0 ? kCorrelation : 0) | (span.sequence != -1 ? kSequence : 0) |
      (span.forward_thread != 0 ? kForwardThread : 0) | (span.work != 0 ? kWork : 0) |
      (span.is_backward ? kBackward : 0) | (span.is_range ? kRange : 0));
}

// Previous values of the fields that are packed as differences: those of the last span that had the
// field.
struct Last {
  int64_t start = 0, correlation = 0, sequence = 0;
};

void PackSpan(const HostSpan& span, Last& last, std::vector<uint8_t>& out) {
  const uint8_t fields = FieldsOf(span);
  out.push_back(fields);
  Put(Difference(span.start, last.start), out);
  Put(static_cast<uint64_t>(span.duration), out);
  Put(span.frame.value, out);
  last.start = span.start;
  if (fields & kCorrelation) {
    Put(Difference(span.correlation, std::exchange(last.correlation, span.correlation)), out);
  }
  if (fields & kSequence) {
    Put(Difference(span.sequence, std::exchange(last.sequence, span.sequence)), out);
  }
  if (fields & kForwardThread) Put(span.forward_thread, out);
  if (fields & kWork) Put(span.work, out);
}

HostSpan UnpackSpan(const uint8_t*& at, Last& last) {
  HostSpan span;
  const uint8_t fields = *at++;
  span.start = last.start = Add(last.start, Get(at));
  span.duration = static_cast<int64_t>(Get(at));
  span.frame = FrameId{static_cast<uint32_t>(Get(at))};
  if (fields & kCorrelation) {
    last.correlation = Add(last.correlation, Get(at));
    span.correlation = static_cast<uint32_t>(last.correlation);
  }
  if (fields & kSequence) span.sequence = last.sequence = Add(last.sequence, Get(at));
  if (fields & kForwardThread) span.forward_thread = static_cast<uint32_t>(Get(at));
  if (fields & kWork) span.work = static_cast<uint32_t>(Get(at));
  span.is_backward = (fields & kBackward) != 0;
  span.is_range = (fields & kRange) != 0;
  return span;
}

}  // namespace

// Reads the spans of a piece one after the other.
class SpanStore::Cursor {
 public:
  Cursor(const Piece& piece, size_t number)
      : at_(piece.bytes.data()), left_(piece.spans), number_(number) {
    Advance();
  }

  const HostSpan& span() const { return span_; }
  // Goes to the next span. Returns false at the end.
  bool Advance() {
    if (left_ == 0) return false;
    --left_;
    span_ = UnpackSpan(at_, last_);
    return true;
  }
  // True if the span of this cursor comes after that of `other`. If the two spans are equal, the
  // one in the earlier piece comes first.
  bool operator<(const Cursor& other) const {
    if (IsOutside(span_, other.span_)) return false;
    return IsOutside(other.span_, span_) || number_ > other.number_;
  }

 private:
  const uint8_t* at_;
  uint32_t left_;
  size_t number_;
  Last last_;
  HostSpan span_;
};

void SpanStore::Add(const HostSpan& span) {
  open_.push_back(span);
  ++size_;
  has_backward_ = has_backward_ || span.is_backward;
  if (open_.size() == kSpansOfPiece) Pack();
}

void SpanStore::Pack() {
  std::stable_sort(open_.begin(), open_.end(), IsOutside);
  std::vector<uint8_t> bytes;
  bytes.reserve(open_.size() * 16);
  Last last;
  for (const HostSpan& span : open_) PackSpan(span, last, bytes);
  bytes.shrink_to_fit();
  pieces_.push_back({std::move(bytes), open_.front(), static_cast<uint32_t>(open_.size())});
  open_.clear();
}

int64_t SpanStore::RemoveIf(const std::function<bool(const HostSpan&)>& is_wrong) {
  SpanStore kept;
  ForEach([&](const HostSpan& span) {
    if (!is_wrong(span)) kept.Add(span);
  });
  const size_t removed = size_ - kept.size_;
  *this = std::move(kept);
  return static_cast<int64_t>(removed);
}

void SpanStore::ForEach(const Take& take) const {
  for (size_t i = 0; i < pieces_.size(); ++i) {
    Cursor cursor(pieces_[i], i);
    do {
      take(cursor.span());
    } while (cursor.Advance());
  }
  std::for_each(open_.begin(), open_.end(), take);
}

// Merges the pieces. A piece is opened only when its first span is next, because few pieces
// overlap.
void SpanStore::ForSorted(const Take& take) const {
  SpanStore rest;
  rest.open_ = open_;
  if (!open_.empty()) rest.Pack();
  std::vector<const Piece*> order;
  for (const Piece& piece : pieces_) order.push_back(&piece);
  for (const Piece& piece : rest.pieces_) order.push_back(&piece);
  std::vector<size_t> numbers(order.size());
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](size_t a, size_t b) { return IsOutside(order[a]->first, order[b]->first); });
  std::vector<Cursor> open;  // a heap
  for (size_t next = 0; next < numbers.size() || !open.empty();) {
    while (next < numbers.size() &&
           (open.empty() || !IsOutside(open.front().span(), order[numbers[next]]->first))) {
      open.emplace_back(*order[numbers[next]], numbers[next]);
      std::push_heap(open.begin(), open.end());
      ++next;
    }
    std::pop_heap(open.begin(), open.end());
    take(open.back().span());
    if (open.back().Advance()) {
      std::push_heap(open.begin(), open.end());
    } else {
      open.pop_back();
    }
  }
}

}  // namespace gprofx::importers
