-------------------------- MODULE ZkPermitsModels ---------------------------
(* How many holders each of the contenders allows.                         *)
EXTENDS ZkPermits, TLC

Two == [c \in Contenders |-> 2]
One == [c \in Contenders |-> 1]
Rolling == (1 :> 2) @@ (2 :> 1) @@ (3 :> 3)
Tighter == (1 :> 2) @@ (2 :> 2) @@ (3 :> 1)
Locked == (1 :> 2) @@ (2 :> 0) @@ (3 :> 2) @@ (4 :> 2)

=============================================================================
