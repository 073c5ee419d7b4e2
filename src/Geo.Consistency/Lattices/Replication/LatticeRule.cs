namespace Geo.Consistency.Lattices;

/// <summary>The rules of the replication of lattices that a test can switch off, to show that they are needed.</summary>
internal enum LatticeRule
{
    /// <summary>Updates that follow a gap are not merged: the cursor says what is missing.</summary>
    Cursor,

    /// <summary>What was not acknowledged is sent again.</summary>
    Retry,

    /// <summary>Who hears again and again that a cluster cannot be reached does not ask the others each time.</summary>
    AskSeldom,

    /// <summary>What others have of a source that does not send it is asked for.</summary>
    Repair,

    /// <summary>Updates are kept until all replicas have them.</summary>
    TrimAcknowledged,

    /// <summary>An empty cell is kept until all replicas have seen it.</summary>
    CollectStable,

    /// <summary>A cell that is absent stands for all that was collected.</summary>
    AbsentIsSeen,

    /// <summary>Who begins takes for collected what the replica has that it had all of.</summary>
    InheritCollected,

    /// <summary>What a store has is merged as something old: what of it had come here and is not here any more was removed.</summary>
    OldStates,

    /// <summary>A state that stands for many updates follows all that it has seen.</summary>
    WholeFollows,

    /// <summary>A state that stands for many updates says which ones of others are in it.</summary>
    WholeTells,

    /// <summary>Who has not seen what was collected gets everything, and drops what is not in it.</summary>
    Snapshot,

    /// <summary>What came with a page and is told by no replica's number is made known as an update of the replica that has it.</summary>
    Adopt,

    /// <summary>Only what has changed a cell is waited for, and made known: what is here already is made known once.</summary>
    StraysAreNews,

    /// <summary>What came beyond all numbers is waited for once, however often others are asked meanwhile.</summary>
    StraysAge,

    /// <summary>Who has put something aside tells what it has beyond, and is asked for it.</summary>
    TellBeyond,

    /// <summary>Where order matters, who has put something aside says so to those that it gives what it has.</summary>
    PagesTellHoles,

    /// <summary>What a donor lacked is asked for once another one tells that it has it.</summary>
    Heal,

    /// <summary>What all have is left out of tokens only where all know the same replicas.</summary>
    SettledAmongAll,

    /// <summary>An update is shown after those that it follows.</summary>
    Follow,

    /// <summary>Updates that follow each other in a circle are shown at once.</summary>
    ClosedSets,

    /// <summary>What was asked for is shown when all of it has come, as it was at one moment.</summary>
    AtomicPages,

    /// <summary>Who has a replica because a part was hot takes part until those that have one anyway have what it has.</summary>
    GuestHandsOver,

    /// <summary>It does so again when one of these has less, as who begins anew.</summary>
    GuestWakes,

    /// <summary>Who stops takes for one that keeps what is here only who has heard that it stops.</summary>
    KeepersHaveHeard,

    /// <summary>Who stops waits for rights that those who have no part are giving to it.</summary>
    GuestsGiveFirst,

    /// <summary>
    /// Rights that come to one that stops go on, also where it had nothing to hand over before; and what it has, where those that were to
    /// keep it are gone meanwhile.
    /// </summary>
    LateRightsAreSheltered,

    /// <summary>Who has no part passes rights on to one only that has answered since it is known here.</summary>
    HeirsAnswer,

    /// <summary>What was put aside is neither vouched for nor taken for seen.</summary>
    Holes,

    /// <summary>Contexts are closed up to the last update that has come.</summary>
    Close,
}
