using System.Reflection;
using Geo.Consistency;
using Microsoft.Extensions.DependencyInjection;
using Orleans.EventSourcing;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>A copy of a grain whose instance is in another cluster, with an object of its class on which read-only methods run.</summary>
internal sealed class ReadReplica : IDisposable
{
    private readonly TaskScheduler _turns = new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler;
    private readonly AsyncServiceScope _scope;
    private readonly ReplicaContext _context;

    public ReadReplica(
        GrainId grain, Type grainClass, ReadFeed feed, ReplicaSeam seam, GeoJournals journals, IServiceProvider services)
    {
        Feed = feed;
        _scope = services.CreateAsyncScope();
        _context = new ReplicaContext(
            grain, () => (GrainReference)services.GetRequiredService<IGrainFactory>().GetGrain(grain),
            services.GetRequiredService<ILocalSiloDetails>().SiloAddress, _scope.ServiceProvider);
        var instance = seam.Make(_context, () => ActivatorUtilities.CreateInstance(_scope.ServiceProvider, grainClass));
        _context.GrainInstance = instance;
        Install(instance, new GeoReplicaJournalFactory(GrainNames.ToKey(grain), journals, feed));
    }

    /// <summary>Keeps the copy up to date.</summary>
    public ReadFeed Feed { get; }

    /// <summary>Begins to ask the instance.</summary>
    public void Start()
    {
        // Nothing of the call that has made it goes with the questions.
        using var alone = ExecutionContext.SuppressFlow();
        _ = Task.Factory.StartNew(Feed.Start, CancellationToken.None, TaskCreationOptions.None, _turns);
    }

    /// <summary>Runs a request on the copy, and waits for its end.</summary>
    public Task<Response> RunAsync(IInvokable request)
    {
        request.SetTarget(_context);
        return Task.Factory.StartNew(
            static request => ((IInvokable)request!).Invoke().AsTask(), request, CancellationToken.None, TaskCreationOptions.None, _turns)
            .Unwrap();
    }

    public void Dispose()
    {
        Feed.Dispose();
        _ = _scope.DisposeAsync().AsTask();
    }

    /// <summary>What Orleans does when a journaled grain is activated: gives it the journal.</summary>
    private static void Install(object grain, ILogViewAdaptorFactory journal) => grain.GetType()
        .GetMethod("InstallAdaptor", BindingFlags.Instance | BindingFlags.NonPublic)!
        .Invoke(grain, BindingFlags.DoNotWrapExceptions, null, [journal, null, grain.GetType().FullName, null, null], null);
}
