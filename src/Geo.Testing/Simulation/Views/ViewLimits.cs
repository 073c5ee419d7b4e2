namespace Geo.Testing;

/// <summary>How much the views of a simulated silo hold.</summary>
/// <param name="Waiters">Callers that wait for one view.</param>
/// <param name="Pending">Updates that one queues.</param>
/// <param name="Batch">Updates in one write, and in one message to a leader.</param>
/// <param name="Instances">
/// Instances whose numbers a stored row keeps. A leader's state keeps as many as by default: with few, a first request that the network
/// doubles must not lose the first of its replies (docs/consistency.md).
/// </param>
/// <param name="Requests">Requests of other clusters that wait.</param>
/// <param name="Abandoned">Operations of a view that its store may leave open.</param>
internal sealed record ViewLimits(int Waiters, int Pending, int Batch, int Instances, int Requests, int Abandoned)
{
    /// <summary>As the options have them by default.</summary>
    public static readonly ViewLimits Wide = new(10_000, 100_000, 10_000, 16, 10_000, 8);

    /// <summary>Limits that are met by a few callers.</summary>
    public static ViewLimits Tight(ChoiceTape plan) =>
        new(plan.Next(1, 4), plan.Next(1, 5), plan.Next(1, 4), plan.Next(2, 5), plan.Next(1, 4), plan.Next(1, 3));
}
