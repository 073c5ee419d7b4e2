namespace Geo.Consistency;

/// <summary>How a follower takes what a leader tells it.</summary>
internal enum AppendAnswerKind : byte
{
    /// <summary>It has the leader's log.</summary>
    Adopted = 1,

    /// <summary>It has promised a later term.</summary>
    Refused = 2,

    /// <summary>It has no memory, and the term has not named it: the next term must.</summary>
    Unseated = 3,

    /// <summary>It lacks the log that the leader left out.</summary>
    Behind = 4,
}
