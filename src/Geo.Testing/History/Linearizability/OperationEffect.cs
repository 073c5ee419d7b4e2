namespace Geo.Testing;

/// <summary>What an operation does to the state of an object, whichever state that is.</summary>
public enum OperationEffect
{
    /// <summary>Anything.</summary>
    Unknown,

    /// <summary>It leaves the state as it is.</summary>
    Reads,

    /// <summary>It is possible in every state, gives the same result and leads to the same state in all of them.</summary>
    Overwrites,
}
