using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>What one conditional write is to carry: own updates, then those of guests.</summary>
/// <param name="Version">The version that it makes.</param>
/// <param name="Applied">The numbers stored with it.</param>
/// <param name="Writer">Who writes it.</param>
/// <param name="Own">How many of the oldest own updates.</param>
/// <param name="Taken">What is taken of each guest, in the order in which it is applied.</param>
internal sealed record CasBatch(
    long Version, AppliedTable Applied, CasWriter Writer, int Own, ImmutableArray<CasTake> Taken)
{
    /// <summary>How many updates of guests it carries.</summary>
    internal int Guests { get; } = Taken.Sum(t => t.Count);
}

/// <summary>What a batch takes of what one guest has handed in.</summary>
/// <param name="Guest">The guest's place among those that were looked at.</param>
/// <param name="Skip">How many of its oldest updates are left out, because they are in already.</param>
/// <param name="Count">How many of the next ones are taken.</param>
internal readonly record struct CasTake(int Guest, int Skip, int Count);
