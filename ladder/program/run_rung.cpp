// SPDX-License-Identifier: MIT
/// \file  ladder/program/run_rung.cpp
/// \brief The executable of a single rung, named after its folder.
#include "ladder/program/rung_program.hpp"

int main(int argc, char** argv) {
  return ladder::rung_program(argc, argv, LADDER_RUNG);
}
