using System.Collections.Immutable;

namespace Geo.Messaging.Overlays;

/// <summary>The overlays that a configuration can name.</summary>
public sealed class OverlayCatalog
{
    private readonly ImmutableSortedDictionary<string, Func<OverlayOptions, OverlayMember, IMembershipStrategy>> _makers;

    private OverlayCatalog(ImmutableSortedDictionary<string, Func<OverlayOptions, OverlayMember, IMembershipStrategy>> makers) =>
        _makers = makers;

    /// <summary><c>static</c>, <c>full-mesh</c>, <c>client-server</c> and <c>hyparview</c>.</summary>
    public static OverlayCatalog BuiltIn { get; } =
        new OverlayCatalog(
            ImmutableSortedDictionary.Create<string, Func<OverlayOptions, OverlayMember, IMembershipStrategy>>(StringComparer.Ordinal))
            .With(StaticOverlay.Name, (_, self) => new StaticOverlay(self))
            .With(FullMesh.Name, (options, self) => new FullMesh(self, options.FullMesh))
            .With(ClientServer.Name, ClientServer.Create)
            .With(HyParView.Name, (options, self) => new HyParView(self, options.HyParView));

    /// <summary>The names, in order.</summary>
    public IEnumerable<string> Names => _makers.Keys;

    /// <summary>A catalog with one more overlay, or another one under the name.</summary>
    /// <param name="name">What a configuration calls it.</param>
    /// <param name="make">Makes the strategy's first state for a member.</param>
    public OverlayCatalog With(string name, Func<OverlayOptions, OverlayMember, IMembershipStrategy> make)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(make);
        return new OverlayCatalog(_makers.SetItem(name, make));
    }

    /// <exception cref="GeoConfigurationException">There is no overlay of that name, or it does not take the options.</exception>
    internal IMembershipStrategy Create(OverlayOptions options, OverlayMember self) =>
        _makers.TryGetValue(options.Overlay, out var make)
            ? make(options, self)
            : throw new GeoConfigurationException(
                $"Peer '{self.Peer}' is to run overlay '{options.Overlay}', which is not known. Known are: {string.Join(", ", Names)}.");
}
