using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;
using Orleans.CodeGeneration;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// A call that was sent the ordinary way and goes on to another cluster if the directory says so. An async method would do the same, but
/// takes each answer through the caller's scheduler twice, which is half the price of a local call.
/// </summary>
/// <remarks>Awaited once, as every <see cref="ValueTask"/>; then it serves another call.</remarks>
internal sealed class RoutedCall<T> : IValueTaskSource<T?>, IValueTaskSource
{
    private const int Pending = 0;
    private const int Awaited = 1;
    private const int Done = 2;

    [ThreadStatic]
    [SuppressMessage("Minor Code Smell", "S2696", Justification = "One spare object a thread.")]
    private static RoutedCall<T>? _spare;

    private readonly Action _answered;
    private ManualResetValueTaskSourceCore<T?> _core;
    private GeoReferenceRuntime _runtime = null!;
    private GrainReference _reference = null!;
    private IInvokable _request = null!;
    private InvokeMethodOptions _options;
    private ValueTaskAwaiter<T?> _ordinary;
    private TaskScheduler? _home;
    private ExecutionContext? _context;
    private Action<object?>? _continuation;
    private object? _state;
    private int _phase;

    private RoutedCall() => _answered = Answered;

    /// <summary>Follows a call that is on its way; its end comes on the caller's scheduler.</summary>
    public static RoutedCall<T> Follow(
        GeoReferenceRuntime runtime, GrainReference reference, IInvokable request, InvokeMethodOptions options, ValueTask<T?> ordinary)
    {
        var call = _spare ?? new RoutedCall<T>();
        _spare = null;
        (call._runtime, call._reference, call._request, call._options) = (runtime, reference, request, options);
        call._home = SynchronizationContext.Current is null && TaskScheduler.Current is var home && home != TaskScheduler.Default
            ? home
            : null;
        call._context = ExecutionContext.Capture();
        call._ordinary = ordinary.GetAwaiter();
        call._ordinary.UnsafeOnCompleted(call._answered);
        return call;
    }

    public ValueTask<T?> AsValueTask() => new(this, _core.Version);

    public ValueTask AsVoidValueTask() => new((IValueTaskSource)this, _core.Version);

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        // The answer comes on the scheduler of the call. A caller that waits there goes on at once, rather than once more through its
        // queue.
        if (_home is not null && flags == ValueTaskSourceOnCompletedFlags.UseSchedulingContext && token == _core.Version
            && SynchronizationContext.Current is null && TaskScheduler.Current == _home)
        {
            (_continuation, _state) = (continuation, state);
            if (Interlocked.CompareExchange(ref _phase, Awaited, Pending) == Pending)
            {
                return;
            }
        }

        _core.OnCompleted(continuation, state, token, flags);
    }

    public T? GetResult(short token)
    {
        var isValid = token == _core.Version;
        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            if (isValid)
            {
                Recycle();
            }
        }
    }

    void IValueTaskSource.GetResult(short token) => GetResult(token);

    private void Answered()
    {
        T? result;
        try
        {
            result = _ordinary.GetResult();
        }
        catch (GeoRedirectException redirect) when (redirect.Grain == GrainNames.ToKey(_reference.GrainId))
        {
            Reroute(redirect.Cluster);
            return;
        }
        catch (Exception e)
        {
            End(default, LostAnswers.Is(e, _request) ? LostAnswers.Tell(e, _request, _reference.GrainId) : e);
            return;
        }

        End(result, null);
    }

    /// <summary>Goes on as the caller: the request context travels along.</summary>
    private void Reroute(ClusterId cluster)
    {
        if (_context is { } context)
        {
            ExecutionContext.Run(context, _ => RerouteAsync(cluster), null);
        }
        else
        {
            RerouteAsync(cluster);
        }
    }

    /// <summary>Whoever awaits the call sees how this ends.</summary>
    private async void RerouteAsync(ClusterId cluster)
    {
        T? result;
        try
        {
            result = await _runtime.RerouteAsync<T>(_reference, _request, _options, cluster);
        }
        catch (Exception e)
        {
            End(default, e);
            return;
        }

        End(result, null);
    }

    private void End(T? result, Exception? exception)
    {
        // Whoever learns of the end may put this object to its next use: nothing of it is touched afterwards.
        var (continuation, state) = Interlocked.Exchange(ref _phase, Done) == Awaited ? (_continuation, _state) : default;
        if (exception is null)
        {
            _core.SetResult(result);
        }
        else
        {
            _core.SetException(exception);
        }

        continuation?.Invoke(state);
    }

    private void Recycle()
    {
        _core.Reset();
        (_runtime, _reference, _request, _ordinary) = (null!, null!, null!, default);
        (_home, _context, _continuation, _state) = (null, null, null, null);
        Volatile.Write(ref _phase, Pending);
        _spare = this;
    }
}
