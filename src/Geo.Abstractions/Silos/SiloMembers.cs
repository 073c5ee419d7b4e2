using System.Collections.Frozen;

namespace Geo;

/// <summary>The silos of a cluster as one of them knew them at one time. Immutable.</summary>
internal sealed class SiloMembers
{
    private readonly FrozenDictionary<string, SiloState> _states;

    public SiloMembers(IEnumerable<SiloMember> members)
    {
        // In an order that is the same in every process, which a simulation relies on.
        All = [.. members.OrderBy(member => member.Node, StringComparer.Ordinal)];
        _states = All.ToFrozenDictionary(member => member.Node, member => member.State, StringComparer.Ordinal);
        Callable = [.. All.Where(member => IsCallable(member.State)).Select(member => member.Node)];
    }

    /// <summary>All that the membership knows, by name.</summary>
    public IReadOnlyList<SiloMember> All { get; }

    /// <summary>The silos that can be called and may have instances: living and leaving ones, by name.</summary>
    public IReadOnlyList<string> Callable { get; }

    public SiloState StateOf(string node) => _states.GetValueOrDefault(node);

    public bool MayBeCalled(string node) => IsCallable(StateOf(node));

    private static bool IsCallable(SiloState state) => state is SiloState.Living or SiloState.Leaving;
}
