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

/// A member of a group of blocks.
struct GroupMember {
  /// A bit for each axis of the mesh along which the members differ, and which
  /// of the groups along these axes it is.
  int64_t axes = 0, group = 0;
  int64_t member = 0, numMembers = 1;
};

/// Where the members of a group meet: at a barrier that each of them has.
struct MeetingPlace {
  int64_t device = 0;
  /// The allocation that has the barrier, and its offset there in bytes.
  int64_t site = 0, instance = 0, offset = 0;
  int64_t axes = 0, group = 0;

  bool operator<(const MeetingPlace &other) const {
    return list() < other.list();
  }

private:
  std::array<int64_t, 6> list() const {
    return {device, site, instance, offset, axes, group};
  }
};

/// Members of a group come to a place equally often. The first time of each of
/// them is one meeting, the second time another one.
template <typename T> class Meetings {
public:
  /// Adds what this member brings to its next meeting, and returns what is
  /// there: all of it when as many have come as there are members.
  std::vector<T> come(const MeetingPlace &place, const GroupMember &member,
                      T part) {
    State &state = states[place];
    int64_t meeting = state.numMeetings[member.member]++;
    std::vector<T> &parts = state.open[meeting];
    parts.push_back(std::move(part));
    std::vector<T> known = parts;
    if (int64_t(known.size()) == member.numMembers)
      state.open.erase(meeting);
    return known;
  }

private:
  struct State {
    std::map<int64_t, int64_t> numMeetings;
    std::map<int64_t, std::vector<T>> open;
  };
  std::map<MeetingPlace, State> states;
};

} // namespace pallas_rt

#endif // PALLAS_LIB_RUNTIME_MEETINGS_H
