/**
 * Makes faults and looks at what the locks do: servers and clients in processes of their
 * own, a network that loses what it is told to, and a checker of what everybody saw.
 * docs/fault-tools.md describes the tools, docs/faults.md what was tried with them.
 */
package io.github.zklock.faults;
