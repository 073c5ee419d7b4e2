namespace Geo.Testing.Wan;

/// <summary>Open or closed; who comes while it is closed waits.</summary>
internal sealed class Gate
{
    private volatile TaskCompletionSource? _closed;

    public void Close() => _closed ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Open()
    {
        var closed = _closed;
        _closed = null;
        closed?.TrySetResult();
    }

    public Task PassAsync(CancellationToken cancellationToken) => _closed?.Task.WaitAsync(cancellationToken) ?? Task.CompletedTask;
}
