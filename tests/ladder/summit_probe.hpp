// SPDX-License-Identifier: MIT
/// \file  tests/ladder/summit_probe.hpp
/// \brief One of rung 22's clusters, whose neighbour does not run.
#pragma once

namespace ladder {

/// \brief  Begins so many epochs, then ends, as one of two clusters; the other never runs.
/// \param  counters  (3)  of hopper_summit::Pace
void begin_epochs_alone(unsigned epochs, unsigned* counters);

}  // namespace ladder
