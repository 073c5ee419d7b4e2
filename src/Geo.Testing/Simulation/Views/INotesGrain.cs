using Geo.Consistency;
using Geo.Embedded;

namespace Geo.Testing;

/// <summary>What sessions ask of the grains of a <see cref="ViewSimulation"/>, each by the token of its call.</summary>
internal interface INotesGrain : IGrainWithStringKey
{
    /// <summary>Adds an update.</summary>
    Task<UpdateOutcome> Write(int update, NoteFlaw flaw, bool isConfirmed, bool isConditional, SessionMiss onMiss);

    /// <summary>The updates that are confirmed, as far as they are known where the call is answered.</summary>
    [ReadOnly]
    Task<Versioned<int[]>> Read(SessionMiss onMiss);

    /// <summary>As <see cref="Read"/>, and no older than the bound of read replicas.</summary>
    [ReadOnly]
    Task<Versioned<int[]>> ReadBounded(SessionMiss onMiss);

    /// <summary>As <see cref="Read"/>, with what is not confirmed yet.</summary>
    Task<Versioned<int[]>> ReadTentative(SessionMiss onMiss);

    /// <summary>The updates that are confirmed when the call is made.</summary>
    Task<Versioned<int[]>> ReadLatest();
}
