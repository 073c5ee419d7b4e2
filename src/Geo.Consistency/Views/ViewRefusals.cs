namespace Geo.Consistency;

/// <summary>What views that leave something out answer.</summary>
internal static class ViewRefusals
{
    internal static GeoConfigurationException Sessions(Type view) => new(
        $"The protocol of this grain ({view.Name}) offers no reads and updates by call or session; use ConfirmAsync and RefreshAsync, or "
        + "another protocol.");
}
