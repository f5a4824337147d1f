---------------------------- MODULE ZkLockModels ----------------------------
(* Who contends in the models: values for the constant Ways of ZkLock.     *)
EXTENDS ZkLock

Lines == [c \in Clients |-> {<<"line", "X">>}]
Plains == [c \in Clients |-> {<<"plain", "X">>}]

(* A rolling change of strategy: each client takes either at each entry.   *)
Rolling == [c \in Clients |-> {<<"plain", "X">>, <<"line", "X">>}]

(* The first client writes, the others read.                               *)
ReadWriteLines == [c \in Clients |-> {<<"line", IF c = 1 THEN "W" ELSE "R">>}]
ReadWriteHerd == [c \in Clients |-> {<<"herd", IF c = 1 THEN "W" ELSE "R">>}]

(* The first client writes and may go on as a reader, then one writes and  *)
(* one reads.                                                              *)
Downgrading == [c \in Clients |-> {<<"line", CASE c = 1 -> "D" [] c = 2 -> "W" [] OTHER -> "R">>}]
DowngradingHerd == [c \in Clients |-> {<<"herd", CASE c = 1 -> "D" [] c = 2 -> "W" [] OTHER -> "R">>}]

(* Everything at once: naive, the herd, and a line.                        *)
Mixed == [c \in Clients |-> {CASE c = 1 -> <<"plain", "X">>
                              [] c = 2 -> <<"herd", "R">>
                              [] OTHER -> <<"line", "W">>}]

=============================================================================
