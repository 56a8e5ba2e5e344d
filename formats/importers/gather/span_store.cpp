#include "formats/importers/gather/span_store.h"

#include <algorithm>
#include <utility>

#include "core/base/varint.h"

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

// Bytes that PackSpan() wrote.
struct PackedSpans {
  const uint8_t* at;
  const uint8_t* end;

  uint64_t Next() {
    uint64_t value = 0;
    ReadVarint(at, end, value);
    return value;
  }
};

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
  PutVarint(out, ZigZagDifference(span.start, last.start));
  PutVarint(out, static_cast<uint64_t>(span.duration));
  PutVarint(out, span.frame.value);
  last.start = span.start;
  if (fields & kCorrelation) {
    PutVarint(
        out, ZigZagDifference(span.correlation, std::exchange(last.correlation, span.correlation)));
  }
  if (fields & kSequence) {
    PutVarint(out, ZigZagDifference(span.sequence, std::exchange(last.sequence, span.sequence)));
  }
  if (fields & kForwardThread) PutVarint(out, span.forward_thread);
  if (fields & kWork) PutVarint(out, span.work);
}

HostSpan UnpackSpan(PackedSpans& in, Last& last) {
  HostSpan span;
  const uint8_t fields = *in.at++;
  span.start = last.start = AddZigZag(last.start, in.Next());
  span.duration = static_cast<int64_t>(in.Next());
  span.frame = FrameId{static_cast<uint32_t>(in.Next())};
  if (fields & kCorrelation) {
    last.correlation = AddZigZag(last.correlation, in.Next());
    span.correlation = static_cast<uint32_t>(last.correlation);
  }
  if (fields & kSequence) span.sequence = last.sequence = AddZigZag(last.sequence, in.Next());
  if (fields & kForwardThread) span.forward_thread = static_cast<uint32_t>(in.Next());
  if (fields & kWork) span.work = static_cast<uint32_t>(in.Next());
  span.is_backward = (fields & kBackward) != 0;
  span.is_range = (fields & kRange) != 0;
  return span;
}

}  // namespace

// Reads the spans of a piece one after the other.
class SpanStore::Cursor {
 public:
  Cursor(const Piece& piece, size_t number)
      : in_{piece.bytes.data(), piece.bytes.data() + piece.bytes.size()},
        left_(piece.spans),
        number_(number) {
    Advance();
  }

  const HostSpan& span() const { return span_; }
  // Goes to the next span. Returns false at the end.
  bool Advance() {
    if (left_ == 0) return false;
    --left_;
    span_ = UnpackSpan(in_, last_);
    return true;
  }
  // True if the span of this cursor comes after that of `other`. If the two spans are equal, the
  // one in the earlier piece comes first.
  bool operator<(const Cursor& other) const {
    if (IsOutside(span_, other.span_)) return false;
    return IsOutside(other.span_, span_) || number_ > other.number_;
  }

 private:
  PackedSpans in_;
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
