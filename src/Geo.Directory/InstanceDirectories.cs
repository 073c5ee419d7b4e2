namespace Geo.Directory;

/// <summary>The directories of a silo's single-instance grains.</summary>
/// <param name="Global">Of the modes of GEO.</param>
/// <param name="Quorum">Of the mode <see cref="SingleInstanceMode.Quorum"/>; null where no class of the silo has it.</param>
internal sealed record InstanceDirectories(GlobalDirectory Global, QuorumDirectory? Quorum)
{
    /// <summary>The directory of the grains of a mode; null on a silo that serves no class of it, and has none.</summary>
    public IInstanceDirectory? Find(SingleInstanceMode mode) => mode == SingleInstanceMode.Quorum ? Quorum : Global;

    /// <summary>The directory of the grains of a mode.</summary>
    /// <exception cref="GeoConfigurationException">No class of this silo has the mode.</exception>
    public IInstanceDirectory Of(SingleInstanceMode mode) => Find(mode)
        ?? throw new GeoConfigurationException(
            "A grain of the mode Quorum was called on a silo that serves no class of it; start the silo with its classes.");

    /// <summary>What an operator may ask of them.</summary>
    /// <param name="isOwnedByQuorum">True for a grain of the mode Quorum.</param>
    public IGeoAdministration AdministrationBy(Func<GrainKey, bool> isOwnedByQuorum) =>
        Quorum is null ? Global.Administration : new InstanceAdministration(Global.Administration, Quorum.Administration, isOwnedByQuorum);

    /// <summary>Goes once through what this silo has, of whatever mode, and gives it up; counts what its cluster has (rule C8).</summary>
    /// <exception cref="GeoUnavailableException">A store does not answer.</exception>
    public async Task<DrainPass> DrainAsync(CancellationToken cancellationToken)
    {
        Task<DrainPass>[] passes =
            [Global.DrainAsync(cancellationToken), Quorum?.DrainAsync(cancellationToken) ?? Task.FromResult(new DrainPass(0))];
        return await Task.WhenAll(passes) is [var global, var byMajority] ? global + byMajority : default;
    }

    /// <summary>
    /// Carries a call to the cluster in which its grain was found, and waits for the answer no longer than one can come: not beyond the
    /// lease under which the instance is there.
    /// </summary>
    /// <exception cref="OperationCanceledException">The caller's token was set.</exception>
    public ValueTask<ClusterReply> RequestAsync(
        IClusterMessenger messenger, ClusterId to, GrainKey grain, string service, ReadOnlyMemory<byte> call, MessageOptions options,
        CancellationToken cancellationToken) =>
        Quorum?.LeaseOf(grain, to) is { } lease && Quorum.EndOf(lease) is { } end
            ? RequestAsync(end, token => messenger.RequestAsync(to, service, call, options, token), Quorum, grain, to, cancellationToken)
            : messenger.RequestAsync(to, service, call, options, cancellationToken);

    private static async ValueTask<ClusterReply> RequestAsync(
        Task end, Func<CancellationToken, ValueTask<ClusterReply>> request, QuorumDirectory directory, GrainKey grain, ClusterId to,
        CancellationToken cancellationToken)
    {
        using var giveUp = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var reply = request(giveUp.Token).AsTask();
        while (await Task.WhenAny(reply, end) != reply && !reply.IsCompleted)
        {
            // Silos of that cluster may have passed the instance on, which nobody had to be told.
            if (await NextLeaseAsync(directory, grain, to, cancellationToken) is not { } next)
            {
                giveUp.Cancel();
                await Patience.EndAsync(reply);
                return reply.IsCompletedSuccessfully
                    ? await reply : ClusterReply.Unknown("the lease under which its instance was there is over");
            }

            end = next;
        }

        return await reply;
    }

    private static async ValueTask<Task?> NextLeaseAsync(
        QuorumDirectory directory, GrainKey grain, ClusterId cluster, CancellationToken cancellationToken)
    {
        try
        {
            return await directory.FindAnewAsync(grain, default, cancellationToken) is { Kind: PlacementKind.Elsewhere } found
                && found.Cluster == cluster ? directory.EndOf(found.Node!) : null;
        }
        catch (Exception e) when (e is GeoUnavailableException or OperationCanceledException)
        {
            return null;
        }
    }

    /// <summary>Drops what this silo remembers of a grain in a cluster, of whatever mode it is.</summary>
    public void Forget(GrainKey key, ClusterId stale)
    {
        Global.ForgetCached(key, stale);
        Quorum?.ForgetCached(key, stale);
    }
}
