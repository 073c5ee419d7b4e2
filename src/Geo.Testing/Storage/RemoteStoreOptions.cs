using System.ComponentModel.DataAnnotations;

namespace Geo.Testing.Storage;

/// <summary>How a <see cref="RemoteConditionalStore"/> asks.</summary>
public sealed record RemoteStoreOptions
{
    /// <summary>The service that serves the store; <see cref="StorageAccountService.DefaultService"/> by default.</summary>
    [Required]
    public string Service { get; init; } = StorageAccountService.DefaultService;

    /// <summary>How long an operation may take before its outcome is unknown; 10 s by default.</summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "01:00:00")]
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The channel that the requests travel on; the default channel when null.</summary>
    public string? Channel { get; init; }
}
