namespace Geo.Consistency;

/// <summary>How an instance answers that was asked to write for another one.</summary>
internal enum HandInAnswer : byte
{
    /// <summary>It has written or read a version since, which follows as in a notification.</summary>
    Written = 21,

    /// <summary>It wrote nothing for the asker, and names a version that the asker should know.</summary>
    See = 22,

    /// <summary>It is not the one who writes; it names who did last, if it knows.</summary>
    NotWriter = 23,

    /// <summary>It cannot take these updates: it holds too many, cannot read them, or cannot write the state that they make.</summary>
    Refused = 24,
}
