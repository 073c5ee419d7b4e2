using System.Collections.Concurrent;
using Geo.Consistency;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Orleans.Serialization;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>The read replicas of this silo, for the calls that its own grains and services make.</summary>
internal sealed class ReadReplicas(
    ReadReplicaClasses classes, GeoSiloBuilder builder, GeoJournals journals, DeepCopier<Response> copier, TimeProvider time,
    IServiceProvider services, IGrainFactory grains, ILogger<ReadReplicas> logger) : IDisposable
{
    private readonly ConcurrentDictionary<GrainId, ReadReplica> _replicas = new();
    private readonly Lazy<bool> _hasFilters =
        new(() => services.GetServices<IIncomingGrainCallFilter>().Any(filter => filter is not LeaseFilter));

    private int _count;
    private volatile bool _isStopping;

    public void Dispose()
    {
        _isStopping = true;
        foreach (var grain in _replicas.Keys)
        {
            End(grain);
        }
    }

    /// <summary>Finds the copy for a call whose grain is in another cluster; false where the call is to go there.</summary>
    /// <exception cref="GeoUnavailableException">The copy is too old, and the class asks for no more.</exception>
    public bool TryGet(GrainId grain, out ReadReplica replica, out ReadCopy copy)
    {
        copy = null!;
        if (!_replicas.TryGetValue(grain, out replica!))
        {
            return false;
        }

        var (present, refusal) = replica.Feed.Look();
        copy = present!;
        return refusal is null ? present is not null : throw refusal;
    }

    /// <summary>Runs a call on the copy; null where it does not have what the call asks for, or has become too old meanwhile.</summary>
    public async ValueTask<Response?> ReadAsync(ReadReplica replica, ReadCopy copy, IInvokable request, TimeSpan timeout)
    {
        var (response, asksForMore) = await replica.RunAsync(request).WaitAsync(timeout, time);
        if (!asksForMore && copy.IsFresh(time))
        {
            OrleansMetrics.ReplicaCalls.Add(1);
            return copier.Copy(response);
        }

        response.Dispose();
        return replica.Feed.Miss(isStale: !asksForMore) is { } refusal ? throw refusal : null;
    }

    /// <summary>Begins to keep a copy of a grain that is in another cluster, where there is room.</summary>
    public void Begin(GrainId grain)
    {
        if (_isStopping || ReplicaSeam.Reachable is not { } seam || _replicas.ContainsKey(grain)
            || !classes.TryGet(grain.Type, out var found) || IsFiltered(found.Class))
        {
            return;
        }

        if (Interlocked.Increment(ref _count) > builder.ReadReplicas.MaxReplicas)
        {
            Interlocked.Decrement(ref _count);
            return;
        }

        ReadReplica? replica = null;
        try
        {
            replica = new ReadReplica(grain, found.Class, MakeFeed(grain, found.Declaration), seam, journals, services);
        }
#pragma warning disable CA1031 // The constructor of the application's grain: the call goes to the instance, which says what is wrong.
        catch (Exception e)
#pragma warning restore CA1031
        {
            logger.ReadReplicaNotMade(grain, e);
        }

        if (replica is not null && _replicas.TryAdd(grain, replica))
        {
            replica.Start();
        }
        else
        {
            Interlocked.Decrement(ref _count);
            replica?.Dispose();
        }
    }

    /// <summary>Filters run where Orleans delivers a call, and may be there to refuse it: no copy answers past them.</summary>
    private bool IsFiltered(Type grainClass) => typeof(IIncomingGrainCallFilter).IsAssignableFrom(grainClass) || _hasFilters.Value;

    private ReadFeed MakeFeed(GrainId grain, ReadReplicaDeclaration declaration) => new(
        GrainNames.ToKey(grain), declaration, builder.ReadReplicas, time,
        (poll, cancellationToken) => grains.GetGrain(grain).AsReference<IGeoReadFeed>().PollAsync(poll, cancellationToken),
        () => End(grain), logger);

    private void End(GrainId grain)
    {
        if (_replicas.TryRemove(grain, out var replica))
        {
            Interlocked.Decrement(ref _count);
            replica.Dispose();
        }
    }
}
