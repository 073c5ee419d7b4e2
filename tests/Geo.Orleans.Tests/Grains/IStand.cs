using Geo.Consistency;

namespace Geo.Orleans.Tests.Grains;

/// <summary>A coordination-free grain that every silo serves, several at a time.</summary>
public interface IStand : IGrainWithStringKey
{
    /// <summary>Counts a visitor, waits until the gate of this name opens, and says which silo and activation that was.</summary>
    Task<string[]> EnterAndWait(string gate);

    Task<long> Visitors();

    Task<SessionToken> Note(string text);

    /// <summary>The note, and the silo that has read it.</summary>
    Task<string[]> ReadNote();
}
