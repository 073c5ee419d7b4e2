namespace Geo.Consistency;

/// <summary>The rules of the leader-based protocol that a test can switch off, to show that they are needed.</summary>
internal enum LeaderRule
{
    /// <summary>A term begins with the answers of a majority.</summary>
    Majority,

    /// <summary>A term is its owner's alone.</summary>
    Owner,

    /// <summary>Who answers a candidate follows no earlier term.</summary>
    Promise,

    /// <summary>What an earlier term than the promised one appends is not adopted.</summary>
    Fence,

    /// <summary>No term begins without the answers of others.</summary>
    Recovery,

    /// <summary>A term begins with the newest log that answered.</summary>
    Newest,

    /// <summary>Logs are ordered by term before they are by length.</summary>
    Order,

    /// <summary>A replica without memory is no answer.</summary>
    Amnesia,

    /// <summary>A replica takes part in a term that named its memory, or that it has promised with one; in no other.</summary>
    Naming,

    /// <summary>The terms of a grain that begins anew are later than all that nobody remembers.</summary>
    Later,

    /// <summary>An update is decided once.</summary>
    Dedupe,

    /// <summary>What may have been decided under a number that is forgotten is not decided.</summary>
    Forgotten,

    /// <summary>A condition is looked at.</summary>
    Condition,

    /// <summary>A condition holds in the history only that it was raised on.</summary>
    Base,

    /// <summary>A condition that waits goes by the last version shown: no update of its own instance is taken for granted.</summary>
    Rebase,

    /// <summary>One refusal refuses the later conditions that were raised on it.</summary>
    Cascade,

    /// <summary>A read waits for a round that began after it.</summary>
    ReadRound,

    /// <summary>A configuration that is older than one heard of neither asks nor grants.</summary>
    OldConfiguration,

    /// <summary>A cluster outside of a term's configuration is no part of its majority.</summary>
    Outsider,

    /// <summary>The clusters of the configuration before are asked, too.</summary>
    FormerAreAsked,

    /// <summary>Of the clusters of the configuration before so many answer that it has no majority without one of them.</summary>
    FormerMajority,

    /// <summary>A configuration is changed only when every seated replica has followed a leader under the one before.</summary>
    Processed,

    /// <summary>Answers count together that know one life of each cluster.</summary>
    OneLife,
}
