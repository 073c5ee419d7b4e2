namespace Geo;

/// <summary>
/// Says whether this silo may serve single-instance grains: asked before each call of one, and again before its answer counts.
/// </summary>
internal interface ILeaseGuard
{
    /// <summary>
    /// True while no other silo can have taken over a grain of this one. Before a call: it must not run otherwise. When it has ended: a
    /// silo that was frozen, or whose machine was paused, in the middle of it must not confirm it after others have taken over the grain.
    /// </summary>
    bool MayServe { get; }

    /// <summary>
    /// What <see cref="MayServe"/> says once the next renewal has ended, where none has failed since the last one: a process that stood
    /// still serves again as soon as it has renewed its lease, and those who called it meanwhile need not hear that it stood still. Ends at
    /// once in any other case, and in less than a lease's duration in this one.
    /// </summary>
    ValueTask<bool> MayServeSoonAsync() => new(MayServe);
}
