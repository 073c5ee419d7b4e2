using Geo.Testing;

namespace Geo.Storage.Quorum.Tests;

/// <summary>An operation on a register; values are numbers, 0 is none.</summary>
/// <param name="Expected">The value to replace; null for a read.</param>
/// <param name="New">The new value.</param>
internal readonly record struct RegisterCall(int? Expected, int New)
{
    /// <summary>A read gives the value; a change 1 when applied and 0 when not.</summary>
    public static readonly SequentialModel<int, RegisterCall, int> Model = new(
        0,
        (state, call) => call.Expected is not { } expected ? (state, state) : expected == state ? (call.New, 1) : (state, 0));

    public override string ToString() => Expected is { } expected ? $"{expected} to {New}" : "read";
}
