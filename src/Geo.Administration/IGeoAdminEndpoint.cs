namespace Geo.Administration;

/// <summary>The admin endpoint of this process, among its services.</summary>
public interface IGeoAdminEndpoint
{
    /// <summary>Where it listens, with the actual port; null before the host's start.</summary>
    Uri? Address { get; }
}
