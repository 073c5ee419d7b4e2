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
}
