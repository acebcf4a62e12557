//===- Meetings.h - Parts that members of a group bring ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNTIME_MEETINGS_H
#define PALLAS_LIB_RUNTIME_MEETINGS_H

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace pallas_rt {

/// Members of a group come to the same operation equally often. The first time
/// of each of them is one meeting, the second time another one.
template <typename T> class Meetings {
public:
  /// The device, the operation, and the group among those that come to it.
  using Place = std::array<int64_t, 3>;

  /// Adds what this member brings to its next meeting, and returns what is
  /// there: all of it when as many have come as there are members.
  std::vector<T> come(const Place &place, int64_t member, int64_t numMembers,
                      T part) {
    State &state = states[place];
    int64_t meeting = state.numMeetings[member]++;
    std::vector<T> &parts = state.open[meeting];
    parts.push_back(std::move(part));
    std::vector<T> known = parts;
    if (int64_t(known.size()) == numMembers)
      state.open.erase(meeting);
    return known;
  }

private:
  struct State {
    std::map<int64_t, int64_t> numMeetings;
    std::map<int64_t, std::vector<T>> open;
  };
  std::map<Place, State> states;
};

} // namespace pallas_rt

#endif // PALLAS_LIB_RUNTIME_MEETINGS_H
