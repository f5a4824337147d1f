--------------------------- MODULE ZkCohortModels ---------------------------
(* Who calls: 1 and 2, sometimes 3, in client "a", the last one in "b".    *)
EXTENDS ZkCohort, TLC

TwoAndOne == (1 :> "a") @@ (2 :> "a") @@ (3 :> "b")
ThreeAndOne == (1 :> "a") @@ (2 :> "a") @@ (3 :> "a") @@ (4 :> "b")
Writers == [k \in Callers |-> {"W"}]
Both == [k \in Callers |-> {"R", "W"}]
ReadersAndAWriter == [k \in Callers |-> IF k = 3 THEN {"W"} ELSE {"R"}]
ReadersAndWriters == [k \in Callers |-> IF k > 2 THEN {"W"} ELSE {"R"}]
OneAndTwo == (1 :> "a") @@ (2 :> "b") @@ (3 :> "b")
WriterAndReaders == [k \in Callers |-> IF k = 3 THEN {"W"} ELSE IF k = 1 THEN {"R"} ELSE {"R", "W"}]

=============================================================================
