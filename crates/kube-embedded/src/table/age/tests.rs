use super::human;

#[test]
fn durations_read_as_kubectl_prints_them() {
    let (hour, day, year) = (3600, 86_400, 365 * 86_400);
    for (seconds, want) in [
        (-2, "<invalid>"),
        (-1, "0s"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (121, "2m1s"),
        (599, "9m59s"),
        (600, "10m"),
        (179 * 60 + 59, "179m"),
        (3 * hour, "3h"),
        (7 * hour + 61, "7h1m"),
        (8 * hour, "8h"),
        (47 * hour, "47h"),
        (2 * day, "2d"),
        (7 * day + 23 * hour, "7d23h"),
        (8 * day + hour, "8d"),
        (2 * year, "2y"),
        (3 * year + day, "3y1d"),
        (9 * year + day, "9y"),
    ] {
        assert_eq!(human(seconds), want, "{seconds}");
    }
}
