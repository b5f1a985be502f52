// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/graph.hpp
/// \brief What a graph is inside of the run time: nodes, and what each of them needs.
#pragma once

#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "glassbox/runtime/stream_calls.hpp"

struct CUgraphNode_st {
  cudaGraphNodeType type;
  ladder::glassbox::Work work;
  std::vector<CUgraphNode_st*> needs;  ///< nodes that are done before
  CUgraph_st* graph;
};

struct CUgraph_st {
  std::list<CUgraphNode_st> nodes;  ///< in the order in which they were added

  /// \return the new node
  CUgraphNode_st* add(cudaGraphNodeType type, ladder::glassbox::Work work,
                      std::vector<CUgraphNode_st*> needs) {
    return &nodes.emplace_back(CUgraphNode_st{type, std::move(work), std::move(needs), this});
  }
};

namespace ladder::glassbox {

/// From now on the program owns it.
cudaGraph_t give_graph(std::unique_ptr<CUgraph_st> graph);

}  // namespace ladder::glassbox
