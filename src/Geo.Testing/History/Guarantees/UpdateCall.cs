namespace Geo.Testing;

/// <summary>A call of an object whose state is a sequence of updates.</summary>
/// <param name="Kind">What is asked for.</param>
/// <param name="Update">The update that is written, which no other call of the history writes.</param>
public readonly record struct UpdateCall(UpdateCallKind Kind, long Update = 0)
{
    /// <inheritdoc/>
    public override string ToString() => Kind switch
    {
        UpdateCallKind.Write => $"write {Update}",
        UpdateCallKind.Read => "read",
        _ => "final read",
    };
}
