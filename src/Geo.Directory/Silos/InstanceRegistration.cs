namespace Geo.Directory;

/// <summary>
/// Lets an activation of a single-instance grain on this silo through, or says which silo or cluster has the instance: asked before the
/// activation loads any state.
/// </summary>
/// <remarks>Rows name the silo, not the activation: the host keeps at most one activation of a grain on a silo.</remarks>
internal sealed class InstanceRegistration(InstanceDirectories directories, SiloLiveness liveness, string local)
{
    /// <summary>Acquires the grain for this silo, unless another silo that can be called, or another cluster, has it.</summary>
    /// <returns>
    /// Here at this silo: the activation may run. Here at another: calls go there. Elsewhere: they go to that cluster.
    /// </returns>
    /// <exception cref="GeoUnavailableException">
    /// As for <see cref="GlobalDirectory.AcquireAsync"/>; or for <see cref="GlobalDirectoryOptions.TakeoverTimeout"/> the directory has
    /// named a silo that cannot be called.
    /// </exception>
    /// <param name="key">The grain.</param>
    /// <param name="mode">Its mode.</param>
    /// <param name="isLookedUp">
    /// True where a silo of this cluster, whichever, has looked the grain up just before and found nothing to call. Then its row is not
    /// read once more; where there is one all the same, as of a silo that is dead, it costs a write, or in a cluster that joins or
    /// leaves a read, that finds it.
    /// </param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async ValueTask<Placement> RegisterAsync(
        GrainKey key, SingleInstanceMode mode, bool isLookedUp = false, CancellationToken cancellationToken = default)
    {
        var directory = directories.Of(mode);
        if (isLookedUp)
        {
            directory.NoteLookedUp(key);
        }

        var (time, limits) = (directories.Global.Time, directories.Global.Options);
        var started = time.GetTimestamp();
        for (var attempt = 0; ; attempt++)
        {
            var placement = await directory.AcquireAsync(key, local, mode, cancellationToken);
            if (placement.Kind == PlacementKind.Elsewhere || placement.Node == local || liveness.MayBeCalled(placement.Node!))
            {
                return placement;
            }

            if (time.GetElapsedTime(started) > limits.TakeoverTimeout)
            {
                throw new GeoUnavailableException(
                    $"Grain '{key}' belongs to silo '{placement.Node}', which cannot be called and has not been taken over from within "
                    + $"{limits.TakeoverTimeout.TotalSeconds:0.###} s; try again.");
            }

            // A silo that has died since is waited for by the next acquisition, until it is fenced off. Where directory and membership go
            // on to differ, nothing else would wait.
            if (attempt > 0)
            {
                await Task.Delay(limits.PollInterval, time, cancellationToken);
            }
        }
    }

    /// <summary>
    /// The same for an activation that moves here from another silo of this cluster, with its state: it may run only where nobody can have
    /// had the grain in between.
    /// </summary>
    /// <returns>As above; at this silo under the tenancy that the move began, and no other.</returns>
    /// <param name="key">The grain.</param>
    /// <param name="mode">Its mode.</param>
    /// <param name="from">The silo that it comes from.</param>
    /// <param name="tenancy">
    /// The tenancy under which it ran there. If that was lost, or the grain was activated anew there meanwhile, the row is another one's,
    /// and what arrives here is the duplicate.
    /// </param>
    /// <exception cref="GeoUnavailableException">
    /// As above; or what arrives here may be older than what others did since, and no other has the grain now: the next call begins anew.
    /// </exception>
    public async ValueTask<Placement> RegisterMovedAsync(GrainKey key, SingleInstanceMode mode, string from, long tenancy)
    {
        var directory = directories.Of(mode);
        if (from != local && await directory.MoveAsync(key, from, local, tenancy) is { } moved && directory.TenancyOf(key) == moved)
        {
            return new(PlacementKind.Here, directories.Global.LocalCluster, local);
        }

        var found = await LookupAsync(key, mode) ?? await FindAnewAsync(key, mode);
        return found is { } other && (other.Kind == PlacementKind.Elsewhere || other.Node != local)
            ? other
            : throw new GeoUnavailableException(
                $"Grain '{key}' came from silo '{from}' after its tenancy there had ended: others may have had it since, and what it "
                + "brought along may be old. It begins anew at the next call.");
    }

    /// <summary>
    /// Where the instance of a grain is as far as this silo knows; null where that is nowhere, or a silo of this cluster that cannot be
    /// called. All but the calls that go to a silo of this cluster are placed anew by the host, which leads to a registration.
    /// </summary>
    /// <exception cref="GeoUnavailableException">The store of the rows does not answer.</exception>
    public async ValueTask<Placement?> LookupAsync(GrainKey key, SingleInstanceMode mode) =>
        directories.Find(mode) is { } directory ? Callable(await directory.LookupAsync(key)) : null;

    /// <summary>
    /// Where the instance is of a grain that the host can place on no silo of this cluster, and that <see cref="LookupAsync"/> did not
    /// find: by the word of the other clusters; null where nobody has said that it is with it. Acquires nothing.
    /// </summary>
    /// <exception cref="GeoUnavailableException">A store does not answer.</exception>
    public async ValueTask<Placement?> FindAnewAsync(GrainKey key, SingleInstanceMode mode) =>
        Callable(await directories.Of(mode).FindAnewAsync(key));

    /// <summary>The activation on this silo has ended.</summary>
    /// <param name="key">The grain.</param>
    /// <param name="mode">Its mode.</param>
    /// <param name="tenancy">That under which it ran, so that a later one is left alone; null for the present one.</param>
    public ValueTask ReleaseAsync(GrainKey key, SingleInstanceMode mode, long? tenancy = null) =>
        directories.Of(mode).ReleaseAsync(key, local, tenancy);

    private Placement? Callable(Placement? found) =>
        found is { Kind: PlacementKind.Here, Node: { } node } && !liveness.MayBeCalled(node) ? null : found;
}
