
namespace Geo.Embedded;

/// <summary>
/// What a silo or a client takes from the process around it besides the services <see cref="TimeProvider"/> and
/// <see cref="IClusterMessenger"/>: threads, chance, and what its clusters' rows and stores are kept in. The default is the process itself;
/// a simulation adds another one to the services.
/// </summary>
internal class SiloSurroundings
{
    /// <summary>The process.</summary>
    public static readonly SiloSurroundings Process = new();

    /// <summary>
    /// True where all of a silo has to go on where it was started: awaits then keep their scheduler, and the ends of calls do not pass
    /// through the thread pool. False in a process, where that would only cost.
    /// </summary>
    public virtual bool KeepsContext => false;

    /// <summary>True where clients come over the network, so that the silo listens for them.</summary>
    public virtual bool HasNetwork => true;

    /// <summary>
    /// True where somebody may read where a call has failed: its stack trace then goes back to the caller with the exception.
    /// </summary>
    public virtual bool TellsStackTraces => true;

    /// <summary>Chance; safe for as many threads as the silo runs on.</summary>
    public virtual Random Random => Random.Shared;

    /// <summary>Those of a host that its services name; otherwise those of the process.</summary>
    public static SiloSurroundings Of(IServiceProvider services) =>
        (SiloSurroundings?)services.GetService(typeof(SiloSurroundings)) ?? Process;

    /// <summary>A text that no other start of a silo has had.</summary>
    public virtual string NewIncarnation() => Guid.NewGuid().ToString("N");

    /// <summary>Starts a silo: what the function starts in turn keeps the scheduler that it runs on.</summary>
    public virtual Task Start(Func<Task> start) => Task.Run(start);

    /// <summary>Has the turns of one activation run soon, once; lends them nothing of the present execution context.</summary>
    /// <param name="turns">The turns; as text, the grain.</param>
    /// <param name="preferLocal">True when the thread that runs now may well run them next.</param>
    public virtual void Queue(IThreadPoolWorkItem turns, bool preferLocal) => ThreadPool.UnsafeQueueUserWorkItem(turns, preferLocal);

    /// <summary>Cancels; callbacks of the application do not hold up the present code.</summary>
    public virtual Task CancelAsync(CancellationTokenSource source) => source.CancelAsync();

    /// <summary>
    /// The store of the directory's rows. They live as long as the activations that they are about: in a process of one silo, in its
    /// memory.
    /// </summary>
    public virtual IConditionalStore Rows(ClusterId cluster) => new InMemoryConditionalStore();

    /// <summary>
    /// The other silos of the cluster, which then share <see cref="Rows"/>; null for a silo that is its cluster.
    /// </summary>
    public virtual SiloNeighbours? Neighbours(ClusterId cluster) => null;

    /// <summary>A store of the grains' states and versions.</summary>
    /// <param name="name">The name under which the application uses it.</param>
    /// <param name="cluster">The cluster that asks.</param>
    /// <param name="create">Makes the one that the application has named.</param>
    public virtual IConditionalStore Store(string name, ClusterId cluster, Func<IConditionalStore> create) => create();

    /// <summary>
    /// A promise that may be combined. Where the context is kept it ends on the present scheduler: <c>Task.WhenAll</c> or <c>WaitAsync</c>
    /// directly over a promise that runs its continuations asynchronously would take the way through the thread pool.
    /// </summary>
    public Task EndHere(Task promise) => KeepsContext ? EndedAsync(promise).Unwrap() : promise;

    /// <inheritdoc cref="EndHere(Task)"/>
    public Task<T> EndHere<T>(Task<T> promise) => KeepsContext ? EndedAsync(promise).Unwrap() : promise;

    /// <summary>An instance of a grain is about to be created.</summary>
    public virtual void InstanceBegins(GrainKey key, GrainDeclaration declaration)
    {
    }

    /// <summary>An instance of a grain, if there was one, has run its last code; its row is still there.</summary>
    public virtual void InstanceEnded(GrainKey key)
    {
    }

    /// <summary>
    /// Activations in an order that matters to nobody in a process, but must be the same in each run of a simulation.
    /// </summary>
    public virtual IEnumerable<Activation> InOrder(IEnumerable<Activation> activations) => activations;

    // An exception is handed on as it is: each await that one passes through throws it anew.
    private static async Task<TTask> EndedAsync<TTask>(TTask promise)
        where TTask : Task
    {
        await promise.ConfigureAwait(ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing);
        return promise;
    }
}
