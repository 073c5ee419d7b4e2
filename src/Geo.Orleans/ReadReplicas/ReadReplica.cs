using System.Reflection;
using System.Runtime.CompilerServices;
using Geo.Consistency;
using Microsoft.Extensions.DependencyInjection;
using Orleans.EventSourcing;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>A copy of a grain whose instance is in another cluster, with an object of its class on which read-only methods run.</summary>
internal sealed class ReadReplica : IDisposable
{
    private static readonly AsyncLocal<StrongBox<bool>?> AsksForMore = new();

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

    /// <summary>
    /// Runs a request on the copy, and waits for its end; says, too, whether the request asked for what no copy has, which its method may
    /// have caught.
    /// </summary>
    public async Task<(Response Response, bool AsksForMore)> RunAsync(IInvokable request)
    {
        request.SetTarget(_context);
        var asksForMore = new StrongBox<bool>();
        var response = await Task.Factory.StartNew(
            () =>
            {
                AsksForMore.Value = asksForMore;
                return request.Invoke().AsTask();
            },
            CancellationToken.None, TaskCreationOptions.None, _turns).Unwrap();
        return (response, asksForMore.Value || response.Exception is ReadReplicaMissException);
    }

    /// <summary>The request that runs here asks for what no copy has.</summary>
    internal static void AskForMore()
    {
        if (AsksForMore.Value is { } present)
        {
            present.Value = true;
        }
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
